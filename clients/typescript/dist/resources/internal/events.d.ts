import type { Pages } from "../../pages.js";
import { type Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `list`. */
export interface InternalEventsListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** Filter by event name. */
    event?: types.Name | ReadonlyArray<types.Name> | undefined;
    /** Only events about this record, by UUID or public id. */
    subject?: string | undefined;
    /** RFC 3339, between the years 1970 and 2100. */
    since?: string | Date | undefined;
    /** RFC 3339, between the years 1970 and 2100. */
    until?: string | Date | undefined;
}
export declare class InternalEvents {
    #private;
    constructor(transport: Transport);
    /** Retrieve an event. */
    get(eventId: string, options?: Options): Promise<types.EventOut>;
    /** List events, newest first. */
    list(query?: InternalEventsListQuery, options?: Options): Pages<types.EventOut>;
}
