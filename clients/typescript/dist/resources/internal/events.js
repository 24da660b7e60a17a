import { segment } from "../../requests.js";
export class InternalEvents {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Retrieve an event. */
    get(eventId, options) {
        return this.#transport.call("GET", `/int/v1/events/${segment(eventId)}`, { options });
    }
    /** List events, newest first. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/events", query, options);
    }
}
