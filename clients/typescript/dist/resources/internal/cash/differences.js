export class InternalCashDifferences {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Download all differences as CSV: of collections, then of hand-ins, oldest first. */
    export(query = {}, options) {
        return this.#transport.download("/int/v1/cash/differences/export", { query, options });
    }
    /** Total the differences between counted and expected cash per driver and currency. */
    list(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/cash/differences", { query, options });
    }
}
