import { segment } from "../requests.js";
export class TrackingStatuses {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Add a tracking status outside the order flow. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/tracking-statuses", { body, options });
    }
    /** Delete a status that was added manually. */
    delete(trackingStatusId, options) {
        return this.#transport.call("DELETE", `/v1/tracking-statuses/${segment(trackingStatusId)}`, { options });
    }
    /** Retrieve a tracking status. */
    get(trackingStatusId, options) {
        return this.#transport.call("GET", `/v1/tracking-statuses/${segment(trackingStatusId)}`, { options });
    }
    /** List tracking statuses, newest first. */
    list(query = {}, options) {
        return this.#transport.list("/v1/tracking-statuses", query, options);
    }
    /** Update a status that was added manually. */
    update(trackingStatusId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/tracking-statuses/${segment(trackingStatusId)}`, { body, options });
    }
}
