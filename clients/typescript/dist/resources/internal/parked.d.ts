import type { Pages } from "../../pages.js";
import { type Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `list`. */
export interface InternalParkedListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
}
export declare class InternalParked {
    #private;
    constructor(transport: Transport);
    /** Delete a parked job, so that it is not retried. */
    delete(parkedId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve a parked job: background work that kept failing. */
    get(parkedId: string, options?: Options): Promise<types.ParkedOut>;
    /** List parked jobs: background work that kept failing. */
    list(query?: InternalParkedListQuery, options?: Options): Pages<types.ParkedOut>;
    /** Retry a parked job now. */
    retry(parkedId: string, options?: Options): Promise<types.ParkedOut>;
}
