import { segment } from "../requests.js";
export class OrderTemplates {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Save an order as a template. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/order-templates", { body, options });
    }
    /** Create an order from a template. */
    createOrder(orderTemplateId, body = {}, options) {
        return this.#transport.call("POST", `/v1/order-templates/${segment(orderTemplateId)}/orders`, { body, options });
    }
    /** Delete a template. */
    delete(orderTemplateId, options) {
        return this.#transport.call("DELETE", `/v1/order-templates/${segment(orderTemplateId)}`, { options });
    }
    /** Retrieve an order template. */
    get(orderTemplateId, options) {
        return this.#transport.call("GET", `/v1/order-templates/${segment(orderTemplateId)}`, { options });
    }
    /** List order templates. */
    list(query = {}, options) {
        return this.#transport.list("/v1/order-templates", query, options);
    }
    /** Rename a template, or copy another order to it. */
    update(orderTemplateId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/order-templates/${segment(orderTemplateId)}`, { body, options });
    }
}
