import type { Pages } from "../../pages.js";
import { type Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `list`. */
export interface InternalOperatorsListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /**
     * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`,
     * `email`.
     */
    sort?: string | undefined;
    /** Filter by role. */
    role?: "admin" | "billing" | "dispatcher" | "viewer" | undefined;
}
/** Parameters of `listTokens`. */
export interface InternalOperatorsListTokensQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** List sessions that ended within the last 30 days, instead of active ones. */
    ended?: boolean | undefined;
}
export declare class InternalOperators {
    #private;
    constructor(transport: Transport);
    /** Create an operator. */
    create(body: types.OperatorIn, options?: Options): Promise<types.OperatorOut>;
    /** Remove an operator. */
    delete(operatorId: string, options?: Options): Promise<Uint8Array>;
    /** Revoke one token. */
    deleteToken(operatorId: string, tokenId: string, options?: Options): Promise<types.SessionEnded>;
    /** Revoke all tokens. */
    deleteTokens(operatorId: string, options?: Options): Promise<types.SessionEnded>;
    /** Retrieve an operator. */
    get(operatorId: string, options?: Options): Promise<types.OperatorOut>;
    /** List operators. */
    list(query?: InternalOperatorsListQuery, options?: Options): Pages<types.OperatorOut>;
    /** List active or revoked tokens, newest first. */
    listTokens(operatorId: string, query?: InternalOperatorsListTokensQuery, options?: Options): Pages<types.SessionOut>;
    /** Update an operator's name, role or password, or disable the operator. */
    update(operatorId: string, body?: types.OperatorChange, options?: Options): Promise<types.OperatorOut>;
}
