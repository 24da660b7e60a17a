import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `list`. */
export interface StorefrontServiceQuotesListQuery {
    /** A place's identifier, a point, or an address with a point. */
    pickup?: string | {
        [name: string]: unknown;
    } | ReadonlyArray<unknown> | undefined;
    /** A place's identifier, a point, or an address with a point. */
    dropoff?: string | {
        [name: string]: unknown;
    } | ReadonlyArray<unknown> | undefined;
    /** Stops in order, between `pickup` and `dropoff` if these are sent. */
    waypoints?: string | {
        [name: string]: unknown;
    } | ReadonlyArray<unknown> | ReadonlyArray<string | {
        [name: string]: unknown;
    } | ReadonlyArray<unknown>> | undefined;
    /** Items to deliver. */
    entities?: types.ItemIn | ReadonlyArray<types.ItemIn> | undefined;
    /** The scheduled time. Defaults to now. */
    scheduled_at?: string | Date | undefined;
    /** Cash to collect, in minor units, or `true`: only rates that accept cash. */
    cod?: string | number | boolean | undefined;
    /** Only rates in this currency. */
    currency?: string | undefined;
    /** Only rates of this type. */
    service_type?: string | undefined;
    /** Number of quotes. */
    limit?: number | undefined;
}
export declare class StorefrontServiceQuotes {
    #private;
    constructor(transport: Transport);
    /** List a shipment's prices under every rate visible in the store, cheapest first. */
    list(query?: StorefrontServiceQuotesListQuery, options?: Options): Promise<Array<types.QuoteOut>>;
}
