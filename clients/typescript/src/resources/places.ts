// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface PlacesListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /**
   * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `updated_at`.
   */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Any of these. */
  id?: string | ReadonlyArray<string> | undefined;
  /** Text to search for. */
  query?: string | undefined;
  /** Filter by type. */
  type?: string | undefined;
  /** ISO 3166, two letters. */
  country?: string | undefined;
  /** Filter by city. */
  city?: string | undefined;
  /** Filter by postal code. */
  postal_code?: string | undefined;
  /** Filter by owner type. */
  owner_type?: types.PlaceOwnerType | undefined;
}

export class Places {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create a place. */
  create(body: types.PlaceIn = {}, options?: Options): Promise<types.PlaceOut> {
    return this.#transport.call("POST", "/v1/places", { body, options });
  }

  /** Delete a place. */
  delete(placeId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/v1/places/${segment(placeId)}`, { options });
  }

  /** Retrieve a place. */
  get(placeId: string, options?: Options): Promise<types.PlaceOut> {
    return this.#transport.call("GET", `/v1/places/${segment(placeId)}`, { options });
  }

  /** List places. */
  list(query: PlacesListQuery = {}, options?: Options): Pages<types.PlaceOut> {
    return this.#transport.list("/v1/places", query, options);
  }

  /** Suggest addresses for the text typed so far. */
  lookUp(body: types.LookupIn, options?: Options): Promise<types.LookupOut> {
    return this.#transport.call("POST", "/v1/places/lookup", { body, options });
  }

  /** Update a place. */
  update(placeId: string, body: types.PlaceIn = {}, options?: Options): Promise<types.PlaceOut> {
    return this.#transport.call("PATCH", `/v1/places/${segment(placeId)}`, { body, options });
  }
}
