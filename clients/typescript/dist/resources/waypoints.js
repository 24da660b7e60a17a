import { segment } from "../requests.js";
export class Waypoints {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Add a waypoint at the end of a payload's route. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/waypoints", { body, options });
    }
    /** Remove a waypoint from its payload, before work there begins. */
    delete(waypointId, options) {
        return this.#transport.call("DELETE", `/v1/waypoints/${segment(waypointId)}`, { options });
    }
    /** Retrieve a waypoint. */
    get(waypointId, options) {
        return this.#transport.call("GET", `/v1/waypoints/${segment(waypointId)}`, { options });
    }
    /** List waypoints. */
    list(query = {}, options) {
        return this.#transport.list("/v1/waypoints", query, options);
    }
    /** Update a waypoint. */
    update(waypointId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/waypoints/${segment(waypointId)}`, { body, options });
    }
}
