import { segment } from "../requests.js";
export class OrderConfigs {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Create an order configuration. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/order-configs", { body, options });
    }
    /** Delete an order configuration; orders keep the flow they started with. */
    delete(orderConfigId, options) {
        return this.#transport.call("DELETE", `/v1/order-configs/${segment(orderConfigId)}`, { options });
    }
    /** Retrieve an order configuration. */
    get(orderConfigId, options) {
        return this.#transport.call("GET", `/v1/order-configs/${segment(orderConfigId)}`, { options });
    }
    /** Retrieve one version of an order configuration's flow. */
    getVersion(orderConfigId, number, options) {
        return this.#transport.call("GET", `/v1/order-configs/${segment(orderConfigId)}/versions/${segment(number)}`, { options });
    }
    /** List order configurations. */
    list(query = {}, options) {
        return this.#transport.list("/v1/order-configs", query, options);
    }
    /** Update an order configuration. */
    update(orderConfigId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/order-configs/${segment(orderConfigId)}`, { body, options });
    }
}
