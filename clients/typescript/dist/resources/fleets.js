import { segment } from "../requests.js";
export class Fleets {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Add a driver to a fleet. */
    addDriver(fleetId, body = {}, options) {
        return this.#transport.call("POST", `/v1/fleets/${segment(fleetId)}/drivers`, { body, options });
    }
    /** Add a vehicle to a fleet. */
    addVehicle(fleetId, body = {}, options) {
        return this.#transport.call("POST", `/v1/fleets/${segment(fleetId)}/vehicles`, { body, options });
    }
    /** Create a fleet. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/fleets", { body, options });
    }
    /** Delete a fleet. */
    delete(fleetId, options) {
        return this.#transport.call("DELETE", `/v1/fleets/${segment(fleetId)}`, { options });
    }
    /** Retrieve a fleet. */
    get(fleetId, options) {
        return this.#transport.call("GET", `/v1/fleets/${segment(fleetId)}`, { options });
    }
    /** List fleets. */
    list(query = {}, options) {
        return this.#transport.list("/v1/fleets", query, options);
    }
    /** Remove a driver from a fleet. */
    removeDriver(fleetId, driverId, options) {
        return this.#transport.call("DELETE", `/v1/fleets/${segment(fleetId)}/drivers/${segment(driverId)}`, { options });
    }
    /** Remove a vehicle from a fleet. */
    removeVehicle(fleetId, vehicleId, options) {
        return this.#transport.call("DELETE", `/v1/fleets/${segment(fleetId)}/vehicles/${segment(vehicleId)}`, { options });
    }
    /** Update a fleet. */
    update(fleetId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/fleets/${segment(fleetId)}`, { body, options });
    }
}
