export class StorefrontAddresses {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Find the address of a point: the nearest house, street or place. */
    findByLocation(query, options) {
        return this.#transport.call("GET", "/storefront/v1/addresses/reverse", { query, options });
    }
    /** Suggest addresses for the text typed so far, best match first. */
    list(query, options) {
        return this.#transport.call("GET", "/storefront/v1/addresses", { query, options });
    }
}
