import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface PlacesListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** Any of these. */
    id?: string | ReadonlyArray<string> | undefined;
    /** Text to search for. */
    query?: string | undefined;
    /** Filter by type. */
    type?: string | undefined;
    /** ISO 3166, two letters. */
    country?: string | undefined;
    /** Filter by city. */
    city?: string | undefined;
    /** Filter by postal code. */
    postal_code?: string | undefined;
    /** Filter by owner type. */
    owner_type?: "company" | "customer" | "order" | undefined;
}
export declare class Places {
    #private;
    constructor(transport: Transport);
    /** Create a place. */
    create(body?: types.PlaceIn, options?: Options): Promise<types.PlaceOut>;
    /** Delete a place. */
    delete(placeId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve a place. */
    get(placeId: string, options?: Options): Promise<types.PlaceOut>;
    /** List places. */
    list(query?: PlacesListQuery, options?: Options): Pages<types.PlaceOut>;
    /** Suggest addresses for the text typed so far. */
    lookUp(body: types.LookupIn, options?: Options): Promise<types.LookupOut>;
    /** Update a place. */
    update(placeId: string, body?: types.PlaceIn, options?: Options): Promise<types.PlaceOut>;
}
