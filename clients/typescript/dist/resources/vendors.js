import { segment } from "../requests.js";
export class Vendors {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Create a vendor. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/vendors", { body, options });
    }
    /** Delete a vendor. */
    delete(vendorId, options) {
        return this.#transport.call("DELETE", `/v1/vendors/${segment(vendorId)}`, { options });
    }
    /** Retrieve a vendor. */
    get(vendorId, options) {
        return this.#transport.call("GET", `/v1/vendors/${segment(vendorId)}`, { options });
    }
    /** List vendors. */
    list(query = {}, options) {
        return this.#transport.list("/v1/vendors", query, options);
    }
    /** Update a vendor. */
    update(vendorId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/vendors/${segment(vendorId)}`, { body, options });
    }
}
