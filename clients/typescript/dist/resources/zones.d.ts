import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface ZonesListQuery {
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
    /** A service area, by its identifier. */
    service_area?: string | undefined;
}
export declare class Zones {
    #private;
    constructor(transport: Transport);
    /** Create a zone from a border, or from a center and a radius. */
    create(body: types.ZoneIn, options?: Options): Promise<types.ZoneOut>;
    /** Delete a zone. */
    delete(zoneId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve a zone. */
    get(zoneId: string, options?: Options): Promise<types.ZoneOut>;
    /** List zones. */
    list(query?: ZonesListQuery, options?: Options): Pages<types.ZoneOut>;
    /** Update a zone. */
    update(zoneId: string, body?: types.ZoneChange, options?: Options): Promise<types.ZoneOut>;
}
