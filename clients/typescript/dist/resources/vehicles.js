import { segment } from "../requests.js";
export class Vehicles {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Create a vehicle. */
    create(body = {}, options) {
        return this.#transport.call("POST", "/v1/vehicles", { body, options });
    }
    /** Delete a vehicle. */
    delete(vehicleId, options) {
        return this.#transport.call("DELETE", `/v1/vehicles/${segment(vehicleId)}`, { options });
    }
    /** Retrieve a vehicle. */
    get(vehicleId, options) {
        return this.#transport.call("GET", `/v1/vehicles/${segment(vehicleId)}`, { options });
    }
    /** List vehicles. */
    list(query = {}, options) {
        return this.#transport.list("/v1/vehicles", query, options);
    }
    /** List a vehicle's positions, latest first. */
    listPositions(vehicleId, query = {}, options) {
        return this.#transport.list(`/v1/vehicles/${segment(vehicleId)}/positions`, query, options);
    }
    /** Report a vehicle's position. */
    track(vehicleId, body = {}, options) {
        return this.#transport.call("POST", `/v1/vehicles/${segment(vehicleId)}/track`, { body, options });
    }
    /** Update a vehicle. */
    update(vehicleId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/vehicles/${segment(vehicleId)}`, { body, options });
    }
    /** Report a vehicle's position. */
    updateTrack(vehicleId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/vehicles/${segment(vehicleId)}/track`, { body, options });
    }
}
