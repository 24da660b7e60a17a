import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface ServiceAreasListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`. */
    sort?: string | undefined;
    /** Any of these. */
    id?: string | ReadonlyArray<string> | undefined;
    /** Text to search for. */
    query?: string | undefined;
    /** Filter by type. */
    type?: string | undefined;
    /** ISO 3166, two letters. */
    country?: string | undefined;
    /** Filter by status. */
    status?: "active" | "inactive" | undefined;
    /** Only active ones that contain this point: `latitude,longitude`. */
    location?: string | undefined;
}
export declare class ServiceAreas {
    #private;
    constructor(transport: Transport);
    /** Create a service area from a border, or from a center and a radius. */
    create(body: types.AreaIn, options?: Options): Promise<types.AreaOut>;
    /** Delete a service area. */
    delete(serviceAreaId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve a service area. */
    get(serviceAreaId: string, options?: Options): Promise<types.AreaOut>;
    /** List service areas. */
    list(query?: ServiceAreasListQuery, options?: Options): Pages<types.AreaOut>;
    /** Update a service area. */
    update(serviceAreaId: string, body?: types.AreaChange, options?: Options): Promise<types.AreaOut>;
}
