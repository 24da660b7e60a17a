// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import { segment } from "../../requests.js";
export class FleetModuleVehicles {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** List a vehicle's trips and stops on a day or in a period, with their route geometry. */
    getTrips(vehicleId, query = {}, options) {
        return this.#transport.call("GET", `/int/v1/fleet-module/vehicles/${segment(vehicleId)}/trips`, { query, options });
    }
}
