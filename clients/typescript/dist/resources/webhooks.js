import { segment } from "../requests.js";
export class Webhooks {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Register a webhook. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/webhooks", { body, options });
    }
    /** Delete a webhook. */
    delete(webhookId, options) {
        return this.#transport.call("DELETE", `/v1/webhooks/${segment(webhookId)}`, { options });
    }
    /** Retrieve a webhook, without its secrets and header values. */
    get(webhookId, options) {
        return this.#transport.call("GET", `/v1/webhooks/${segment(webhookId)}`, { options });
    }
    /** Retrieve the success rate and response times for the last 24 hours. */
    getPerformance(webhookId, options) {
        return this.#transport.call("GET", `/v1/webhooks/${segment(webhookId)}/performance`, { options });
    }
    /** List the company's webhooks. */
    list(query = {}, options) {
        return this.#transport.list("/v1/webhooks", query, options);
    }
    /** List the deliveries to a webhook, newest first. */
    listDeliveries(webhookId, query = {}, options) {
        return this.#transport.list(`/v1/webhooks/${segment(webhookId)}/deliveries`, query, options);
    }
    /** Send a test ping, whatever the webhook's state, and return the result. */
    ping(webhookId, options) {
        return this.#transport.call("POST", `/v1/webhooks/${segment(webhookId)}/ping`, { options });
    }
    /** Create a new secret. */
    rotateSecret(webhookId, body = {}, options) {
        return this.#transport.call("POST", `/v1/webhooks/${segment(webhookId)}/rotate-secret`, { body, options });
    }
    /** Update a webhook. */
    update(webhookId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/webhooks/${segment(webhookId)}`, { body, options });
    }
}
