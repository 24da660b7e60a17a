// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface ServiceAreasListQuery {
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
}

export class ServiceAreas {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create a service area from a border, or from a center and a radius. */
  create(body: types.AreaIn, options?: Options): Promise<types.AreaOut> {
    return this.#transport.call("POST", "/v1/service-areas", { body, options });
  }

  /** Delete a service area. */
  delete(serviceAreaId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call(
      "DELETE",
      `/v1/service-areas/${segment(serviceAreaId)}`,
      { options },
    );
  }

  /** Retrieve a service area. */
  get(serviceAreaId: string, options?: Options): Promise<types.AreaOut> {
    return this.#transport.call("GET", `/v1/service-areas/${segment(serviceAreaId)}`, { options });
  }

  /** List service areas. */
  list(query: ServiceAreasListQuery = {}, options?: Options): Pages<types.AreaOut> {
    return this.#transport.list("/v1/service-areas", query, options);
  }

  /** Update a service area. */
  update(
    serviceAreaId: string,
    body: types.AreaChange = {},
    options?: Options,
  ): Promise<types.AreaOut> {
    return this.#transport.call(
      "PATCH",
      `/v1/service-areas/${segment(serviceAreaId)}`,
      { body, options },
    );
  }
}
