export class CashDifferences {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Total the differences between counted and expected cash per driver and currency. */
    list(query = {}, options) {
        return this.#transport.call("GET", "/v1/cash/differences", { query, options });
    }
}
