import { segment } from "../requests.js";
export class ServiceAreas {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Create a service area from a border, or from a center and a radius. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/service-areas", { body, options });
    }
    /** Delete a service area. */
    delete(serviceAreaId, options) {
        return this.#transport.call("DELETE", `/v1/service-areas/${segment(serviceAreaId)}`, { options });
    }
    /** Retrieve a service area. */
    get(serviceAreaId, options) {
        return this.#transport.call("GET", `/v1/service-areas/${segment(serviceAreaId)}`, { options });
    }
    /** List service areas. */
    list(query = {}, options) {
        return this.#transport.list("/v1/service-areas", query, options);
    }
    /** Update a service area. */
    update(serviceAreaId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/service-areas/${segment(serviceAreaId)}`, { body, options });
    }
}
