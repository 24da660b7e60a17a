import { segment } from "../requests.js";
export class Entities {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Create an entity, with or without a payload. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/entities", { body, options });
    }
    /** Delete an entity. */
    delete(entityId, options) {
        return this.#transport.call("DELETE", `/v1/entities/${segment(entityId)}`, { options });
    }
    /** Retrieve an entity. */
    get(entityId, options) {
        return this.#transport.call("GET", `/v1/entities/${segment(entityId)}`, { options });
    }
    /** List entities. */
    list(query = {}, options) {
        return this.#transport.list("/v1/entities", query, options);
    }
    /** Update an entity, or move it to another payload. */
    update(entityId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/entities/${segment(entityId)}`, { body, options });
    }
}
