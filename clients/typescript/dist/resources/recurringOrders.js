import { segment } from "../requests.js";
export class RecurringOrders {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Begin a recurring order: the worker creates orders by a rule of days. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/recurring-orders", { body, options });
    }
    /** Create the order of a day now, even if it was refused or skipped before. */
    createOrder(recurringOrderId, body, options) {
        return this.#transport.call("POST", `/v1/recurring-orders/${segment(recurringOrderId)}/create-order`, { body, options });
    }
    /** Delete a recurring order and the record of its days. */
    delete(recurringOrderId, options) {
        return this.#transport.call("DELETE", `/v1/recurring-orders/${segment(recurringOrderId)}`, { options });
    }
    /** End a recurring order for good. */
    end(recurringOrderId, options) {
        return this.#transport.call("POST", `/v1/recurring-orders/${segment(recurringOrderId)}/end`, { options });
    }
    /** Retrieve a recurring order. */
    get(recurringOrderId, options) {
        return this.#transport.call("GET", `/v1/recurring-orders/${segment(recurringOrderId)}`, { options });
    }
    /** List the next days without an order. */
    getNextDays(recurringOrderId, options) {
        return this.#transport.call("GET", `/v1/recurring-orders/${segment(recurringOrderId)}/next-days`, { options });
    }
    /** List recurring orders. */
    list(query = {}, options) {
        return this.#transport.list("/v1/recurring-orders", query, options);
    }
    /** List the days that were decided: their orders, or why there is none. */
    listDays(recurringOrderId, query = {}, options) {
        return this.#transport.list(`/v1/recurring-orders/${segment(recurringOrderId)}/days`, query, options);
    }
    /** Pause a recurring order. */
    pause(recurringOrderId, options) {
        return this.#transport.call("POST", `/v1/recurring-orders/${segment(recurringOrderId)}/pause`, { options });
    }
    /** Describe a rule in words, and list its next days. */
    preview(body, options) {
        return this.#transport.call("POST", "/v1/recurring-orders/preview", { body, options });
    }
    /** Resume a recurring order from today on. */
    resume(recurringOrderId, options) {
        return this.#transport.call("POST", `/v1/recurring-orders/${segment(recurringOrderId)}/resume`, { options });
    }
    /** Skip one day: a day to come, or one whose order was refused. */
    skip(recurringOrderId, body, options) {
        return this.#transport.call("POST", `/v1/recurring-orders/${segment(recurringOrderId)}/skip`, { body, options });
    }
    /** Update a recurring order. */
    update(recurringOrderId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/recurring-orders/${segment(recurringOrderId)}`, { body, options });
    }
}
