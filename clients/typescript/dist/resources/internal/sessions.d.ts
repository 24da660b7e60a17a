import type { Pages } from "../../pages.js";
import { type Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `list`. */
export interface InternalSessionsListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** List sessions that ended within the last 30 days, instead of active ones. */
    ended?: boolean | undefined;
}
export declare class InternalSessions {
    #private;
    constructor(transport: Transport);
    /** Revoke one token. */
    delete(tokenId: string, options?: Options): Promise<types.SessionEnded>;
    /** Revoke all tokens. */
    deleteAll(options?: Options): Promise<types.SessionEnded>;
    /** List active or revoked tokens, newest first. */
    list(query?: InternalSessionsListQuery, options?: Options): Pages<types.SessionOut>;
}
