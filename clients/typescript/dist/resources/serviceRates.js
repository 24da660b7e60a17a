import { segment } from "../requests.js";
export class ServiceRates {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Create a service rate. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/service-rates", { body, options });
    }
    /** Delete a service rate. */
    delete(serviceRateId, options) {
        return this.#transport.call("DELETE", `/v1/service-rates/${segment(serviceRateId)}`, { options });
    }
    /** Retrieve a service rate. */
    get(serviceRateId, options) {
        return this.#transport.call("GET", `/v1/service-rates/${segment(serviceRateId)}`, { options });
    }
    /** List service rates. */
    list(query = {}, options) {
        return this.#transport.list("/v1/service-rates", query, options);
    }
    /** Price a shipment with one rate or all rates, or explain why no price applies. */
    preview(body = {}, options) {
        return this.#transport.call("POST", "/v1/service-rates/preview", { body, options });
    }
    /** Update a service rate. */
    update(serviceRateId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/service-rates/${segment(serviceRateId)}`, { body, options });
    }
}
