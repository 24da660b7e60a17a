import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface WaypointsListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** Payload, by UUID or public id. */
    payload?: string | undefined;
    /** Filter by type. */
    type?: "dropoff" | "pickup" | undefined;
    /** A place, by its identifier. */
    place?: string | undefined;
}
export declare class Waypoints {
    #private;
    constructor(transport: Transport);
    /** Add a waypoint at the end of a payload's route. */
    create(body: types.NewWaypoint, options?: Options): Promise<types.WaypointOut>;
    /** Remove a waypoint from its payload, before work there begins. */
    delete(waypointId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve a waypoint. */
    get(waypointId: string, options?: Options): Promise<types.WaypointOut>;
    /** List waypoints. */
    list(query?: WaypointsListQuery, options?: Options): Pages<types.WaypointOut>;
    /** Update a waypoint. */
    update(waypointId: string, body?: types.WaypointChange, options?: Options): Promise<types.WaypointOut>;
}
