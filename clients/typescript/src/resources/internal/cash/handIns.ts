// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../../pages.js";
import { type Options, segment } from "../../../requests.js";
import type { Transport } from "../../../transport.js";
import type * as types from "../../../types.js";

/** Parameters of `list`. */
export interface InternalCashHandInsListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Filter by driver. */
  driver?: string | undefined;
  /** ISO 4217, three letters. */
  currency?: string | undefined;
  /** Only hand-ins whose count differs from what was expected. */
  has_difference?: boolean | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  since?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  until?: string | Date | undefined;
}

export class InternalCashHandIns {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieve a cash hand in. */
  get(cashHandInId: string, options?: Options): Promise<types.HandInOut> {
    return this.#transport.call(
      "GET",
      `/int/v1/cash/hand-ins/${segment(cashHandInId)}`,
      { options },
    );
  }

  /** List cash/hand ins. */
  list(query: InternalCashHandInsListQuery = {}, options?: Options): Pages<types.HandInOut> {
    return this.#transport.list("/int/v1/cash/hand-ins", query, options);
  }
}
