export class CashBalances {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** List the cash that drivers carry, and the cash to remit to merchants. */
    get(options) {
        return this.#transport.call("GET", "/v1/cash/balances", { options });
    }
}
