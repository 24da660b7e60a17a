import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface VendorsListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`. */
    sort?: string | undefined;
    /** Any of these. */
    id?: string | ReadonlyArray<string> | undefined;
    /** Part of the text to search for. */
    query?: string | undefined;
    /** Filter by type. */
    type?: string | undefined;
    /** The company's own number. */
    internal_id?: string | undefined;
    /** Filter by email. */
    email?: string | undefined;
    /** With country code. */
    phone?: string | undefined;
    /** A place, by its identifier. */
    place?: string | undefined;
    /** `owed`: owes something in a currency; `credit`: has a credit in one. */
    balance?: "credit" | "owed" | undefined;
    /** Any of these. */
    payment_status?: "none" | "overpaid" | "paid" | "unpaid" | ReadonlyArray<"none" | "overpaid" | "paid" | "unpaid"> | undefined;
    /** The business registration number. */
    business_id?: string | undefined;
    /** ISO 3166, two letters. */
    country?: string | undefined;
    /** Filter by status. */
    status?: "active" | "inactive" | undefined;
}
export declare class Vendors {
    #private;
    constructor(transport: Transport);
    /** Create a vendor. */
    create(body: types.VendorIn, options?: Options): Promise<types.VendorOut>;
    /** Delete a vendor. */
    delete(vendorId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve a vendor. */
    get(vendorId: string, options?: Options): Promise<types.VendorOut>;
    /** List vendors. */
    list(query?: VendorsListQuery, options?: Options): Pages<types.VendorOut>;
    /** Update a vendor. */
    update(vendorId: string, body?: types.VendorChange, options?: Options): Promise<types.VendorOut>;
}
