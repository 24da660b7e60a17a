import { segment } from "../../requests.js";
export class InternalWebhookDeliveries {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Retrieve a delivery with its body and all attempts. */
    get(deliveryId, options) {
        return this.#transport.call("GET", `/int/v1/webhook-deliveries/${segment(deliveryId)}`, { options });
    }
    /** List the deliveries to all webhooks, newest first. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/webhook-deliveries", query, options);
    }
    /** Replay a delivery with the same ID and body, and restart its retry schedule. */
    replay(deliveryId, options) {
        return this.#transport.call("POST", `/int/v1/webhook-deliveries/${segment(deliveryId)}/replay`, { options });
    }
    /** Replay deliveries, oldest first, or count them. */
    replayMany(body, options) {
        return this.#transport.call("POST", "/int/v1/webhook-deliveries/replay", { body, options });
    }
}
