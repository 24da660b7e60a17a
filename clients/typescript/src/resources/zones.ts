// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface ZonesListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`. */
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
  /** Filter by status. */
  status?: types.RecordStatus | undefined;
  /** Only active ones that contain this point: `latitude,longitude`. */
  location?: string | undefined;
  /** A service area, by its identifier. */
  service_area?: string | undefined;
}

export class Zones {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create a zone from a border, or from a center and a radius. */
  create(body: types.ZoneIn, options?: Options): Promise<types.ZoneOut> {
    return this.#transport.call("POST", "/v1/zones", { body, options });
  }

  /** Delete a zone. */
  delete(zoneId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/v1/zones/${segment(zoneId)}`, { options });
  }

  /** Retrieve a zone. */
  get(zoneId: string, options?: Options): Promise<types.ZoneOut> {
    return this.#transport.call("GET", `/v1/zones/${segment(zoneId)}`, { options });
  }

  /** List zones. */
  list(query: ZonesListQuery = {}, options?: Options): Pages<types.ZoneOut> {
    return this.#transport.list("/v1/zones", query, options);
  }

  /** Update a zone. */
  update(zoneId: string, body: types.ZoneChange = {}, options?: Options): Promise<types.ZoneOut> {
    return this.#transport.call("PATCH", `/v1/zones/${segment(zoneId)}`, { body, options });
  }
}
