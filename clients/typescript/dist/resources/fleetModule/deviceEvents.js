import { segment } from "../../requests.js";
export class FleetModuleDeviceEvents {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Send the events of many devices: up to 5,000 as a list, in an envelope or as NDJSON. */
    createBatch(body, options) {
        return this.#transport.call("POST", "/int/v1/fleet-module/device-events/batch", { body, options });
    }
    /** Download all events that match the filters, oldest first. */
    export(query = {}, options) {
        return this.#transport.download("/int/v1/fleet-module/device-events/export", { query, options });
    }
    /** Retrieve a device event. */
    get(deviceEventId, options) {
        return this.#transport.call("GET", `/int/v1/fleet-module/device-events/${segment(deviceEventId)}`, { options });
    }
    /** Count events by hour or by day. */
    getCounts(query = {}, options) {
        return this.#transport.call("GET", "/int/v1/fleet-module/device-events/counts", { query, options });
    }
    /** List the events of all devices, newest first. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/fleet-module/device-events", query, options);
    }
    /** List events that were rejected and why, newest first. */
    listRejects(query = {}, options) {
        return this.#transport.list("/int/v1/fleet-module/device-events/rejects", query, options);
    }
}
