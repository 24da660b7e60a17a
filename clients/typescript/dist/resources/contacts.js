import { segment } from "../requests.js";
export class Contacts {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Create a contact. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/contacts", { body, options });
    }
    /** Delete a contact. */
    delete(contactId, options) {
        return this.#transport.call("DELETE", `/v1/contacts/${segment(contactId)}`, { options });
    }
    /** Retrieve a contact. */
    get(contactId, options) {
        return this.#transport.call("GET", `/v1/contacts/${segment(contactId)}`, { options });
    }
    /** List contacts. */
    list(query = {}, options) {
        return this.#transport.list("/v1/contacts", query, options);
    }
    /** Update a contact. */
    update(contactId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/contacts/${segment(contactId)}`, { body, options });
    }
}
