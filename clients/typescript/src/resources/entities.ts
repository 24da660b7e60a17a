// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface EntitiesListQuery {
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
  /** Beginnings of words. */
  query?: string | undefined;
  /** Payload, by UUID or public id. */
  payload?: string | undefined;
  /** Filter by the stop where the item is delivered. */
  destination?: string | undefined;
  /** Filter by type. */
  type?: string | undefined;
  /** The company's own number. */
  internal_id?: string | undefined;
  /** Filter by SKU. */
  sku?: string | undefined;
  /** Customer, by UUID or public id. */
  customer?: string | undefined;
}

export class Entities {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create an entity, with or without a payload. */
  create(body: types.NewEntity, options?: Options): Promise<types.EntityOut> {
    return this.#transport.call("POST", "/v1/entities", { body, options });
  }

  /** Delete an entity. */
  delete(entityId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/v1/entities/${segment(entityId)}`, { options });
  }

  /** Retrieve an entity. */
  get(entityId: string, options?: Options): Promise<types.EntityOut> {
    return this.#transport.call("GET", `/v1/entities/${segment(entityId)}`, { options });
  }

  /** List entities. */
  list(query: EntitiesListQuery = {}, options?: Options): Pages<types.EntityOut> {
    return this.#transport.list("/v1/entities", query, options);
  }

  /** Update an entity, or move it to another payload. */
  update(
    entityId: string,
    body: types.EntityChange = {},
    options?: Options,
  ): Promise<types.EntityOut> {
    return this.#transport.call("PATCH", `/v1/entities/${segment(entityId)}`, { body, options });
  }
}
