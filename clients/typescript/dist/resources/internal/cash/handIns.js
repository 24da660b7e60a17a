import { segment } from "../../../requests.js";
export class InternalCashHandIns {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Retrieve a cash hand in. */
    get(cashHandInId, options) {
        return this.#transport.call("GET", `/int/v1/cash/hand-ins/${segment(cashHandInId)}`, { options });
    }
    /** List cash/hand ins. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/cash/hand-ins", query, options);
    }
}
