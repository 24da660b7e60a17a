// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../../pages.js";
import { type Options, segment } from "../../../requests.js";
import type { Transport } from "../../../transport.js";
import type * as types from "../../../types.js";

/** Parameters of `list`. */
export interface InternalCashCollectionsListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`. */
  order?: string | undefined;
  /** Filter by driver. */
  driver?: string | undefined;
  /** A contact or vendor, by its identifier. */
  customer?: string | undefined;
  /** ISO 4217, three letters. */
  currency?: string | undefined;
  /** Whether the driver no longer has the cash. */
  handed_in?: boolean | undefined;
  /** Filter by whether `remitted` is true. */
  remitted?: boolean | undefined;
  /** Only collections of another amount than the cash due. */
  has_difference?: boolean | undefined;
  /** Recorded at or after this moment. */
  since?: string | Date | undefined;
  /** Recorded before this moment. */
  until?: string | Date | undefined;
}

export class InternalCashCollections {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieve a cash collection. */
  get(cashCollectionId: string, options?: Options): Promise<types.CashCollectionOut> {
    return this.#transport.call(
      "GET",
      `/int/v1/cash/collections/${segment(cashCollectionId)}`,
      { options },
    );
  }

  /** List cash/collections. */
  list(
    query: InternalCashCollectionsListQuery = {},
    options?: Options,
  ): Pages<types.CashCollectionOut> {
    return this.#transport.list("/int/v1/cash/collections", query, options);
  }
}
