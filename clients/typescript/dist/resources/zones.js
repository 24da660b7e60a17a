import { segment } from "../requests.js";
export class Zones {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Create a zone from a border, or from a center and a radius. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/zones", { body, options });
    }
    /** Delete a zone. */
    delete(zoneId, options) {
        return this.#transport.call("DELETE", `/v1/zones/${segment(zoneId)}`, { options });
    }
    /** Retrieve a zone. */
    get(zoneId, options) {
        return this.#transport.call("GET", `/v1/zones/${segment(zoneId)}`, { options });
    }
    /** List zones. */
    list(query = {}, options) {
        return this.#transport.list("/v1/zones", query, options);
    }
    /** Update a zone. */
    update(zoneId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/zones/${segment(zoneId)}`, { body, options });
    }
}
