export class StorefrontServiceQuotes {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** List a shipment's prices under every rate visible in the store, cheapest first. */
    list(query = {}, options) {
        return this.#transport.call("GET", "/storefront/v1/service-quotes", { query, options });
    }
}
