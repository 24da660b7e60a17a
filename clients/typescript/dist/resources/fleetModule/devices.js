import { segment } from "../../requests.js";
export class FleetModuleDevices {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Send the events of a device: one, or up to 5,000 as a list or as NDJSON. */
    createEvents(deviceId, body, options) {
        return this.#transport.call("POST", `/int/v1/fleet-module/devices/${segment(deviceId)}/events`, { body, options });
    }
    /** Retrieve a device. */
    get(deviceId, options) {
        return this.#transport.call("GET", `/int/v1/fleet-module/devices/${segment(deviceId)}`, { options });
    }
    /** List devices. */
    list(query = {}, options) {
        return this.#transport.list("/int/v1/fleet-module/devices", query, options);
    }
    /** List a device's events, newest first. */
    listEvents(deviceId, query = {}, options) {
        return this.#transport.list(`/int/v1/fleet-module/devices/${segment(deviceId)}/events`, query, options);
    }
    /** List devices with their status, last position and the latest reading of each type. */
    listLatest(query = {}, options) {
        return this.#transport.list("/int/v1/fleet-module/devices/latest", query, options);
    }
}
