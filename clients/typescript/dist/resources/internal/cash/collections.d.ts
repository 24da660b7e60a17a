import type { Pages } from "../../../pages.js";
import { type Options } from "../../../requests.js";
import type { Transport } from "../../../transport.js";
import type * as types from "../../../types.js";
/** Parameters of `list`. */
export interface InternalCashCollectionsListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** Order, by UUID or public id. */
    order?: string | undefined;
    /** Filter by driver. */
    driver?: string | undefined;
    /** A contact or vendor, by its identifier. */
    customer?: string | undefined;
    /** ISO 4217, three letters. */
    currency?: string | undefined;
    /** Whether the driver no longer has the cash. */
    handed_in?: boolean | undefined;
    /** Filter by whether `remitted` is true. */
    remitted?: boolean | undefined;
    /** Only collections of another amount than the cash due. */
    has_difference?: boolean | undefined;
    /** Recorded at or after this moment. */
    since?: string | Date | undefined;
    /** Recorded before this moment. */
    until?: string | Date | undefined;
}
export declare class InternalCashCollections {
    #private;
    constructor(transport: Transport);
    /** Retrieve a cash collection. */
    get(cashCollectionId: string, options?: Options): Promise<types.CashCollectionOut>;
    /** List cash/collections. */
    list(query?: InternalCashCollectionsListQuery, options?: Options): Pages<types.CashCollectionOut>;
}
