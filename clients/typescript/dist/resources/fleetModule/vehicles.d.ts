import { type Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `getTrips`. */
export interface FleetModuleVehiclesGetTripsQuery {
    /** A day in the company's time zone. Defaults to today. */
    on?: string | undefined;
    /** Start of the period, instead of `on`. */
    from?: string | Date | undefined;
    /** End of the period, at most 31 days long. Defaults to now. */
    to?: string | Date | undefined;
    /** Lines follow the recorded `positions`, or the `roads` where the routing engine finds them. */
    track?: "positions" | "roads" | undefined;
}
export declare class FleetModuleVehicles {
    #private;
    constructor(transport: Transport);
    /** List a vehicle's trips and stops on a day or in a period, with their route geometry. */
    getTrips(vehicleId: string, query?: FleetModuleVehiclesGetTripsQuery, options?: Options): Promise<types.TripsOut>;
}
