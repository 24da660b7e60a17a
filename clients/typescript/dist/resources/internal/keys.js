import { segment } from "../../requests.js";
export class InternalKeys {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Create a key. */
    create(body, options) {
        return this.#transport.call("POST", "/int/v1/keys", { body, options });
    }
    /** Revoke a key. */
    delete(keyId, options) {
        return this.#transport.call("DELETE", `/int/v1/keys/${segment(keyId)}`, { options });
    }
    /** Retrieve a key. */
    get(keyId, options) {
        return this.#transport.call("GET", `/int/v1/keys/${segment(keyId)}`, { options });
    }
    /** List keys. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/keys", query, options);
    }
    /** Replace a key. */
    rotate(keyId, body = {}, options) {
        return this.#transport.call("POST", `/int/v1/keys/${segment(keyId)}/rotate`, { body, options });
    }
    /** Update a key. */
    update(keyId, body = {}, options) {
        return this.#transport.call("PATCH", `/int/v1/keys/${segment(keyId)}`, { body, options });
    }
}
