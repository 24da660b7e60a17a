import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface FleetsListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /**
     * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `updated_at`,
     * `name`.
     */
    sort?: string | undefined;
    /** Search words. */
    query?: string | undefined;
    /** Any of these. */
    id?: string | ReadonlyArray<string> | undefined;
    /** Filter by status. */
    status?: "active" | "inactive" | undefined;
    /** Fleets within this one. */
    parent_fleet?: string | undefined;
}
export declare class Fleets {
    #private;
    constructor(transport: Transport);
    /** Add a driver to a fleet. */
    addDriver(fleetId: string, body?: types.FleetDriverIn, options?: Options): Promise<types.FleetOut>;
    /** Add a vehicle to a fleet. */
    addVehicle(fleetId: string, body?: types.FleetVehicleIn, options?: Options): Promise<types.FleetOut>;
    /** Create a fleet. */
    create(body: types.FleetIn, options?: Options): Promise<types.FleetOut>;
    /** Delete a fleet. */
    delete(fleetId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve a fleet. */
    get(fleetId: string, options?: Options): Promise<types.FleetOut>;
    /** List fleets. */
    list(query?: FleetsListQuery, options?: Options): Pages<types.FleetOut>;
    /** Remove a driver from a fleet. */
    removeDriver(fleetId: string, driverId: string, options?: Options): Promise<types.FleetOut>;
    /** Remove a vehicle from a fleet. */
    removeVehicle(fleetId: string, vehicleId: string, options?: Options): Promise<types.FleetOut>;
    /** Update a fleet. */
    update(fleetId: string, body?: types.FleetChange, options?: Options): Promise<types.FleetOut>;
}
