import { segment } from "../../requests.js";
export class InternalTransactions {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Get or create the checkout page of a transaction. */
    checkout(transactionId, body = {}, options) {
        return this.#transport.call("POST", `/int/v1/transactions/${segment(transactionId)}/checkout`, { body, options });
    }
    /** Record money that was received outside a gateway, in full or in part. */
    createPayment(transactionId, body, options) {
        return this.#transport.call("POST", `/int/v1/transactions/${segment(transactionId)}/payments`, { body, options });
    }
    /** Download all transactions that match the filters as CSV, oldest first, or their charges. */
    export(query = {}, options) {
        return this.#transport.download("/int/v1/transactions/export", { query, options });
    }
    /** Retrieve a transaction. */
    get(transactionId, options) {
        return this.#transport.call("GET", `/int/v1/transactions/${segment(transactionId)}`, { options });
    }
    /** Retrieve the name and address of an erased payer, kept until everything is settled. */
    getBillingIdentity(transactionId, options) {
        return this.#transport.call("GET", `/int/v1/transactions/${segment(transactionId)}/billing-identity`, { options });
    }
    /** List transactions. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/transactions", query, options);
    }
    /** Refund a transaction in full or in part. */
    refund(transactionId, body = {}, options) {
        return this.#transport.call("POST", `/int/v1/transactions/${segment(transactionId)}/refund`, { body, options });
    }
    /** Void an unpaid transaction, and close its checkout page. */
    void(transactionId, body = {}, options) {
        return this.#transport.call("POST", `/int/v1/transactions/${segment(transactionId)}/void`, { body, options });
    }
}
