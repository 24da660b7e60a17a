import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `list`. */
export interface CashDifferencesListQuery {
    /** Filter by driver. */
    driver?: string | undefined;
    /** Recorded at or after this moment. */
    since?: string | Date | undefined;
    /** Recorded before this moment. */
    until?: string | Date | undefined;
}
export declare class CashDifferences {
    #private;
    constructor(transport: Transport);
    /** Total the differences between counted and expected cash per driver and currency. */
    list(query?: CashDifferencesListQuery, options?: Options): Promise<Array<types.DifferenceOut>>;
}
