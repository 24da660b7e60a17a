import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface ImportsListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** Filter by kind of records. */
    resource?: "contacts" | "drivers" | "orders" | "places" | "service-rates" | "vehicles" | undefined;
    /** Any of these. */
    state?: "checked" | "checking" | "done" | "failed" | "importing" | "new" | "undoing" | "undone" | ReadonlyArray<"checked" | "checking" | "done" | "failed" | "importing" | "new" | "undoing" | "undone"> | undefined;
}
/** Parameters of `listRows`. */
export interface ImportsListRowsQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `number`. */
    sort?: string | undefined;
    /** Any of these. */
    state?: "created" | "failed" | "kept" | "unchanged" | "undone" | ReadonlyArray<"created" | "failed" | "kept" | "unchanged" | "undone"> | undefined;
}
export declare class Imports {
    #private;
    constructor(transport: Transport);
    /** Check every row without creating anything. */
    check(importId: string, options?: Options): Promise<types.ImportOut>;
    /** Create an import of a file. */
    create(body: types.ImportIn, options?: Options): Promise<types.ImportOut>;
    /** Retrieve an import with its progress. */
    get(importId: string, options?: Options): Promise<types.ImportOut>;
    /** Download the faulty rows as CSV, with a column for the errors. */
    getFaultyRows(importId: string, options?: Options): Promise<Uint8Array>;
    /** List imports, sorted by `created_at`. */
    list(query?: ImportsListQuery, options?: Options): Pages<types.ImportOut>;
    /** List the results of an import's rows, sorted by `number`. */
    listRows(importId: string, query?: ImportsListRowsQuery, options?: Options): Pages<types.ImportedRowOut>;
    /** Create the records of all rows without errors. */
    start(importId: string, options?: Options): Promise<types.ImportOut>;
    /** Delete the records that an import created, except those in use or changed since. */
    undo(importId: string, options?: Options): Promise<types.ImportOut>;
    /** Change the mapping of an import that has not started. */
    update(importId: string, body?: types.ImportChange, options?: Options): Promise<types.ImportOut>;
}
