// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `listTokens`. */
export interface InternalDriversListTokensQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** List sessions that ended within the last 30 days, instead of active ones. */
  ended?: boolean | undefined;
}

export class InternalDrivers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Revoke one token. */
  deleteToken(driverId: string, tokenId: string, options?: Options): Promise<types.SessionEnded> {
    return this.#transport.call(
      "DELETE",
      `/int/v1/drivers/${segment(driverId)}/tokens/${segment(tokenId)}`,
      { options },
    );
  }

  /** Revoke all tokens. */
  deleteTokens(driverId: string, options?: Options): Promise<types.SessionEnded> {
    return this.#transport.call(
      "DELETE",
      `/int/v1/drivers/${segment(driverId)}/tokens`,
      { options },
    );
  }

  /** Retrieve a driver's link to the driver app. */
  getAppLink(driverId: string, options?: Options): Promise<types.AppLinkOut> {
    return this.#transport.call(
      "GET",
      `/int/v1/drivers/${segment(driverId)}/app-link`,
      { options },
    );
  }

  /** Retrieve the cash that a driver has collected and not handed in. */
  getCash(driverId: string, options?: Options): Promise<types.DriverCashOut> {
    return this.#transport.call("GET", `/int/v1/drivers/${segment(driverId)}/cash`, { options });
  }

  /** Hand in the cash that a driver has collected in one currency, and record the count. */
  handInCash(driverId: string, body: types.HandInIn, options?: Options): Promise<types.HandInOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/drivers/${segment(driverId)}/cash/hand-in`,
      { body, options },
    );
  }

  /** List active or revoked tokens, newest first. */
  listTokens(
    driverId: string,
    query: InternalDriversListTokensQuery = {},
    options?: Options,
  ): Pages<types.SessionOut> {
    return this.#transport.list(`/int/v1/drivers/${segment(driverId)}/tokens`, query, options);
  }

  /** Send a driver the link to the driver app by SMS or email. */
  sendAppLink(
    driverId: string,
    body: types.SendAppLinkIn,
    options?: Options,
  ): Promise<types.AppLinkSent> {
    return this.#transport.call(
      "POST",
      `/int/v1/drivers/${segment(driverId)}/send-app-link`,
      { body, options },
    );
  }
}
