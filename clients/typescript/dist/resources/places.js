import { segment } from "../requests.js";
export class Places {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Create a place. */
    create(body = {}, options) {
        return this.#transport.call("POST", "/v1/places", { body, options });
    }
    /** Delete a place. */
    delete(placeId, options) {
        return this.#transport.call("DELETE", `/v1/places/${segment(placeId)}`, { options });
    }
    /** Retrieve a place. */
    get(placeId, options) {
        return this.#transport.call("GET", `/v1/places/${segment(placeId)}`, { options });
    }
    /** List places. */
    list(query = {}, options) {
        return this.#transport.list("/v1/places", query, options);
    }
    /** Suggest addresses for the text typed so far. */
    lookUp(body, options) {
        return this.#transport.call("POST", "/v1/places/lookup", { body, options });
    }
    /** Update a place. */
    update(placeId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/places/${segment(placeId)}`, { body, options });
    }
}
