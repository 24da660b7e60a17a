import { segment } from "../../requests.js";
export class CashCollections {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Retrieve a cash collection. */
    get(cashCollectionId, options) {
        return this.#transport.call("GET", `/v1/cash/collections/${segment(cashCollectionId)}`, { options });
    }
    /** List cash/collections. */
    list(query = {}, options) {
        return this.#transport.list("/v1/cash/collections", query, options);
    }
}
