import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `get`. */
export interface FleetModuleWhereaboutsGetQuery {
    /** Filter by vehicle, or by driver without a vehicle. */
    id?: string | ReadonlyArray<string> | undefined;
    /** Search words. */
    query?: string | undefined;
    /** In any of these states. */
    state?: "moving" | "never_seen" | "offline" | "stale" | "standing" | ReadonlyArray<"moving" | "never_seen" | "offline" | "stale" | "standing"> | undefined;
    /** Only members of this fleet. */
    fleet?: string | undefined;
    /** Maximum number of units. */
    limit?: number | undefined;
}
export declare class FleetModuleWhereabouts {
    #private;
    constructor(transport: Transport);
    /** List positions of vehicles, and of drivers without one, with counts by state. */
    get(query?: FleetModuleWhereaboutsGetQuery, options?: Options): Promise<types.WhereaboutsOut>;
}
