import { segment } from "../../../requests.js";
export class InternalCashCollections {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Retrieve a cash collection. */
    get(cashCollectionId, options) {
        return this.#transport.call("GET", `/int/v1/cash/collections/${segment(cashCollectionId)}`, { options });
    }
    /** List cash/collections. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/cash/collections", query, options);
    }
}
