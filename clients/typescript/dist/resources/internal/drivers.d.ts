import type { Pages } from "../../pages.js";
import { type Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `listTokens`. */
export interface InternalDriversListTokensQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** List sessions that ended within the last 30 days, instead of active ones. */
    ended?: boolean | undefined;
}
export declare class InternalDrivers {
    #private;
    constructor(transport: Transport);
    /** Revoke one token. */
    deleteToken(driverId: string, tokenId: string, options?: Options): Promise<types.SessionEnded>;
    /** Revoke all tokens. */
    deleteTokens(driverId: string, options?: Options): Promise<types.SessionEnded>;
    /** Retrieve a driver's link to the driver app. */
    getAppLink(driverId: string, options?: Options): Promise<types.AppLinkOut>;
    /** Retrieve the cash that a driver has collected and not handed in. */
    getCash(driverId: string, options?: Options): Promise<types.DriverCashOut>;
    /** Hand in the cash that a driver has collected in one currency, and record the count. */
    handInCash(driverId: string, body: types.HandInIn, options?: Options): Promise<types.HandInOut>;
    /** List active or revoked tokens, newest first. */
    listTokens(driverId: string, query?: InternalDriversListTokensQuery, options?: Options): Pages<types.SessionOut>;
    /** Send a driver the link to the driver app by SMS or email. */
    sendAppLink(driverId: string, body: types.SendAppLinkIn, options?: Options): Promise<types.AppLinkSent>;
}
