// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface ContactsListQuery {
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
  /** Any of these. */
  id?: string | ReadonlyArray<string> | undefined;
  /** Part of the text to search for. */
  query?: string | undefined;
  /** Filter by type. */
  type?: string | undefined;
  /** The company's own number. */
  internal_id?: string | undefined;
  /** Filter by email. */
  email?: string | undefined;
  /** With country code. */
  phone?: string | undefined;
  /** A place, by its identifier. */
  place?: string | undefined;
  /** `owed`: owes something in a currency; `credit`: has a credit in one. */
  balance?: types.BalanceKind | undefined;
  /** Any of these. */
  payment_status?: types.CustomerPaymentStatus | ReadonlyArray<types.CustomerPaymentStatus> | undefined;
}

export class Contacts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create a contact. */
  create(body: types.ContactIn, options?: Options): Promise<types.ContactOut> {
    return this.#transport.call("POST", "/v1/contacts", { body, options });
  }

  /** Delete a contact. */
  delete(contactId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/v1/contacts/${segment(contactId)}`, { options });
  }

  /** Retrieve a contact. */
  get(contactId: string, options?: Options): Promise<types.ContactOut> {
    return this.#transport.call("GET", `/v1/contacts/${segment(contactId)}`, { options });
  }

  /** List contacts. */
  list(query: ContactsListQuery = {}, options?: Options): Pages<types.ContactOut> {
    return this.#transport.list("/v1/contacts", query, options);
  }

  /** Update a contact. */
  update(
    contactId: string,
    body: types.ContactChange = {},
    options?: Options,
  ): Promise<types.ContactOut> {
    return this.#transport.call("PATCH", `/v1/contacts/${segment(contactId)}`, { body, options });
  }
}
