import type { Options } from "../../../requests.js";
import type { Transport } from "../../../transport.js";
import type * as types from "../../../types.js";
/** Parameters of `export`. */
export interface InternalCashDifferencesExportQuery {
    /** Filter by driver. */
    driver?: string | undefined;
    /** Recorded at or after this moment. */
    since?: string | Date | undefined;
    /** Recorded before this moment. */
    until?: string | Date | undefined;
    /** Format of the file. */
    format?: "csv" | undefined;
}
/** Parameters of `list`. */
export interface InternalCashDifferencesListQuery {
    /** Filter by driver. */
    driver?: string | undefined;
    /** Recorded at or after this moment. */
    since?: string | Date | undefined;
    /** Recorded before this moment. */
    until?: string | Date | undefined;
}
export declare class InternalCashDifferences {
    #private;
    constructor(transport: Transport);
    /** Download all differences as CSV: of collections, then of hand-ins, oldest first. */
    export(query?: InternalCashDifferencesExportQuery, options?: Options): Promise<Uint8Array>;
    /** Total the differences between counted and expected cash per driver and currency. */
    list(query?: InternalCashDifferencesListQuery, options?: Options): Promise<Array<types.DifferenceOut>>;
}
