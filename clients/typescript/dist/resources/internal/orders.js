import { segment } from "../../requests.js";
export class InternalOrders {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Record cash on delivery that a driver collected. */
    collectCash(orderId, body, options) {
        return this.#transport.call("POST", `/int/v1/orders/${segment(orderId)}/collect-cash`, { body, options });
    }
    /** Charge an order, or credit it with a negative amount. */
    createCharge(orderId, body, options) {
        return this.#transport.call("POST", `/int/v1/orders/${segment(orderId)}/charges`, { body, options });
    }
    /** List orders in the columns of the board, with a count for each. */
    getBoard(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/orders/board", { query, options });
    }
    /** Show the account of an order: charges, payments and what is still owed. */
    getCharges(orderId, options) {
        return this.#transport.call("GET", `/int/v1/orders/${segment(orderId)}/charges`, { options });
    }
    /** Count the open orders whose ETAs are late or at risk. */
    getForecasts(options) {
        return this.#transport.call("GET", "/int/v1/orders/forecasts", { options });
    }
    /** List the quotes of an order, newest first, including replaced ones. */
    listServiceQuotes(orderId, query = {}, options) {
        return this.#transport.list(`/int/v1/orders/${segment(orderId)}/service-quotes`, query, options);
    }
    /** Allow an activity without its proofs. */
    overrideProof(orderId, body, options) {
        return this.#transport.call("POST", `/int/v1/orders/${segment(orderId)}/override-proof`, { body, options });
    }
    /** Reprice an order and list its new quotes, cheapest first. */
    renewServiceQuotes(orderId, options) {
        return this.#transport.call("POST", `/int/v1/orders/${segment(orderId)}/service-quotes`, { options });
    }
    /** Unlock SMS codes for a stop after too many wrong codes. */
    unlockSmsCode(orderId, options) {
        return this.#transport.call("POST", `/int/v1/orders/${segment(orderId)}/unlock-sms-code`, { options });
    }
    /** Unlock SMS codes for a stop after too many wrong codes. */
    unlockSmsCodeForSubject(orderId, subjectId, options) {
        return this.#transport.call("POST", `/int/v1/orders/${segment(orderId)}/unlock-sms-code/${segment(subjectId)}`, { options });
    }
}
