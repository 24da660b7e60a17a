// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import { segment } from "../requests.js";
export class ServiceQuotes {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Accept a quote. */
    accept(serviceQuoteId, body = {}, options) {
        return this.#transport.call("POST", `/v1/service-quotes/${segment(serviceQuoteId)}/accept`, { body, options });
    }
    /** Retrieve a quote. */
    get(serviceQuoteId, options) {
        return this.#transport.call("GET", `/v1/service-quotes/${segment(serviceQuoteId)}`, { options });
    }
    /** List a shipment's prices under every rate that applies, cheapest first. */
    list(query = {}, options) {
        return this.#transport.call("GET", "/v1/service-quotes", { query, options });
    }
}
