// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `export`. */
export interface InternalCustomersExportQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Cursor of the next page, from the `Link` header. */
  cursor?: string | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** One JSON document, or a ZIP archive with the images. */
  format?: "json" | "zip" | undefined;
}

/** Parameters of `list`. */
export interface InternalCustomersListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /**
   * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `updated_at`,
   * `name`.
   */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Searched in name, email and phone. */
  query?: string | undefined;
  /** Only customers of this store. */
  store?: string | undefined;
  /** Only closed ones, or only open ones. */
  closed?: boolean | undefined;
}

/** Parameters of `listTokens`. */
export interface InternalCustomersListTokensQuery {
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

export class InternalCustomers {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Close a customer's account on the customer's behalf. */
  close(
    customerId: string,
    body: types.CloseIn,
    options?: Options,
  ): Promise<types.CustomerDetailsOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/customers/${segment(customerId)}/close`,
      { body, options },
    );
  }

  /** Revoke one token. */
  deleteToken(customerId: string, tokenId: string, options?: Options): Promise<types.SessionEnded> {
    return this.#transport.call(
      "DELETE",
      `/int/v1/customers/${segment(customerId)}/tokens/${segment(tokenId)}`,
      { options },
    );
  }

  /** Revoke all tokens. */
  deleteTokens(customerId: string, options?: Options): Promise<types.SessionEnded> {
    return this.#transport.call(
      "DELETE",
      `/int/v1/customers/${segment(customerId)}/tokens`,
      { options },
    );
  }

  /** Close a customer's account if it is open, and erase it without the grace period. */
  erase(
    customerId: string,
    body: types.CloseIn,
    options?: Options,
  ): Promise<types.CustomerDetailsOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/customers/${segment(customerId)}/erase`,
      { body, options },
    );
  }

  /** Export all data of a customer. */
  export(
    customerId: string,
    query: InternalCustomersExportQuery = {},
    options?: Options,
  ): Promise<types.CustomerExport> {
    return this.#transport.call(
      "GET",
      `/int/v1/customers/${segment(customerId)}/export`,
      { query, options },
    );
  }

  /** Retrieve a customer. */
  get(customerId: string, options?: Options): Promise<types.CustomerDetailsOut> {
    return this.#transport.call("GET", `/int/v1/customers/${segment(customerId)}`, { options });
  }

  /** List customers, newest first. */
  list(query: InternalCustomersListQuery = {}, options?: Options): Pages<types.CustomerDetailsOut> {
    return this.#transport.list("/int/v1/customers", query, options);
  }

  /** List active or revoked tokens, newest first. */
  listTokens(
    customerId: string,
    query: InternalCustomersListTokensQuery = {},
    options?: Options,
  ): Pages<types.SessionOut> {
    return this.#transport.list(`/int/v1/customers/${segment(customerId)}/tokens`, query, options);
  }

  /** Send a push message to every device of a customer. */
  push(customerId: string, body: types.PushIn, options?: Options): Promise<types.PushQueued> {
    return this.#transport.call(
      "POST",
      `/int/v1/customers/${segment(customerId)}/push`,
      { body, options },
    );
  }

  /** Restore a closed account before it is erased. */
  restore(customerId: string, options?: Options): Promise<types.CustomerDetailsOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/customers/${segment(customerId)}/restore`,
      { options },
    );
  }
}
