import { segment } from "../../requests.js";
export class InternalServiceQuotes {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Accept a quote. */
    accept(serviceQuoteId, body = {}, options) {
        return this.#transport.call("POST", `/int/v1/service-quotes/${segment(serviceQuoteId)}/accept`, { body, options });
    }
    /** Retrieve a quote. */
    get(serviceQuoteId, options) {
        return this.#transport.call("GET", `/int/v1/service-quotes/${segment(serviceQuoteId)}`, { options });
    }
    /** List the quotes of all orders, newest first. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/service-quotes", query, options);
    }
    /** List a shipment's prices under every rate that applies, cheapest first. */
    preview(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/service-quotes/preview", { query, options });
    }
}
