import { segment } from "../requests.js";
export class Plans {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Assign the orders of a plan to its drivers, all of them or none. */
    accept(planId, options) {
        return this.#transport.call("POST", `/v1/plans/${segment(planId)}/accept`, { options });
    }
    /** Cancel a queued or running plan. */
    cancel(planId, options) {
        return this.#transport.call("POST", `/v1/plans/${segment(planId)}/cancel`, { options });
    }
    /** Request a plan. */
    create(body = {}, options) {
        return this.#transport.call("POST", "/v1/plans", { body, options });
    }
    /** Retrieve a plan with its routes. */
    get(planId, options) {
        return this.#transport.call("GET", `/v1/plans/${segment(planId)}`, { options });
    }
    /** List plans without their routes, sorted by `created_at`. */
    list(query = {}, options) {
        return this.#transport.list("/v1/plans", query, options);
    }
    /** Draw the routes of a plan along streets, or as straight lines without a routing engine. */
    listLines(planId, options) {
        return this.#transport.call("GET", `/v1/plans/${segment(planId)}/lines`, { options });
    }
    /** Preview an edit of a plan. */
    preview(planId, body = {}, options) {
        return this.#transport.call("POST", `/v1/plans/${segment(planId)}/preview`, { body, options });
    }
    /** Give the orders of an accepted plan back to the drivers who had them before. */
    revert(planId, body = {}, options) {
        return this.#transport.call("POST", `/v1/plans/${segment(planId)}/revert`, { body, options });
    }
    /** Edit a plan that is done: move orders between drivers, and lock orders. */
    update(planId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/plans/${segment(planId)}`, { body, options });
    }
}
