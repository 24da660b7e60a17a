import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface TrackingStatusesListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** Search text, matched against the beginnings of words in names and numbers. */
    query?: string | undefined;
    /** Order, by UUID or public id. */
    order?: string | undefined;
    /** A number, or its identifier. */
    tracking_number?: string | undefined;
    /** Filter by code. */
    code?: string | undefined;
    /** RFC 3339, between the years 1970 and 2100. */
    since?: string | Date | undefined;
    /** RFC 3339, between the years 1970 and 2100. */
    until?: string | Date | undefined;
}
export declare class TrackingStatuses {
    #private;
    constructor(transport: Transport);
    /** Add a tracking status outside the order flow. */
    create(body: types.StatusIn, options?: Options): Promise<types.StatusOut>;
    /** Delete a status that was added manually. */
    delete(trackingStatusId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve a tracking status. */
    get(trackingStatusId: string, options?: Options): Promise<types.StatusOut>;
    /** List tracking statuses, newest first. */
    list(query?: TrackingStatusesListQuery, options?: Options): Pages<types.StatusOut>;
    /** Update a status that was added manually. */
    update(trackingStatusId: string, body?: types.StatusChange, options?: Options): Promise<types.StatusOut>;
}
