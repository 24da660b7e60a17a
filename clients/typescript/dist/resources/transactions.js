import { segment } from "../requests.js";
export class Transactions {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Get or create the checkout page of a transaction. */
    checkout(transactionId, body = {}, options) {
        return this.#transport.call("POST", `/v1/transactions/${segment(transactionId)}/checkout`, { body, options });
    }
    /** Record money that was received outside a gateway, in full or in part. */
    createPayment(transactionId, body, options) {
        return this.#transport.call("POST", `/v1/transactions/${segment(transactionId)}/payments`, { body, options });
    }
    /** Retrieve a transaction. */
    get(transactionId, options) {
        return this.#transport.call("GET", `/v1/transactions/${segment(transactionId)}`, { options });
    }
    /** List transactions. */
    list(query = {}, options) {
        return this.#transport.list("/v1/transactions", query, options);
    }
    /** Refund a transaction in full or in part. */
    refund(transactionId, body = {}, options) {
        return this.#transport.call("POST", `/v1/transactions/${segment(transactionId)}/refund`, { body, options });
    }
}
