import { segment } from "../../../requests.js";
export class InternalCashRemittances {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Remit a merchant's cash that drivers have handed in since the last remittance. */
    create(body, options) {
        return this.#transport.call("POST", "/int/v1/cash/remittances", { body, options });
    }
    /** Retrieve a cash remittance. */
    get(cashRemittanceId, options) {
        return this.#transport.call("GET", `/int/v1/cash/remittances/${segment(cashRemittanceId)}`, { options });
    }
    /** List cash/remittances. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/cash/remittances", query, options);
    }
}
