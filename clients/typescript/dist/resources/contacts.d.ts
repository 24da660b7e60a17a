import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface ContactsListQuery {
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
}
export declare class Contacts {
    #private;
    constructor(transport: Transport);
    /** Create a contact. */
    create(body: types.ContactIn, options?: Options): Promise<types.ContactOut>;
    /** Delete a contact. */
    delete(contactId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve a contact. */
    get(contactId: string, options?: Options): Promise<types.ContactOut>;
    /** List contacts. */
    list(query?: ContactsListQuery, options?: Options): Pages<types.ContactOut>;
    /** Update a contact. */
    update(contactId: string, body?: types.ContactChange, options?: Options): Promise<types.ContactOut>;
}
