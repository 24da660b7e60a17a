// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface WaypointsListQuery {
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
  /** Payload, by UUID or public id. */
  payload?: string | undefined;
  /** Filter by type. */
  type?: types.StopType | undefined;
  /** A place, by its identifier. */
  place?: string | undefined;
}

export class Waypoints {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Add a waypoint at the end of a payload's route. */
  create(body: types.NewWaypoint, options?: Options): Promise<types.WaypointOut> {
    return this.#transport.call("POST", "/v1/waypoints", { body, options });
  }

  /** Remove a waypoint from its payload, before work there begins. */
  delete(waypointId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/v1/waypoints/${segment(waypointId)}`, { options });
  }

  /** Retrieve a waypoint. */
  get(waypointId: string, options?: Options): Promise<types.WaypointOut> {
    return this.#transport.call("GET", `/v1/waypoints/${segment(waypointId)}`, { options });
  }

  /** List waypoints. */
  list(query: WaypointsListQuery = {}, options?: Options): Pages<types.WaypointOut> {
    return this.#transport.list("/v1/waypoints", query, options);
  }

  /** Update a waypoint. */
  update(
    waypointId: string,
    body: types.WaypointChange = {},
    options?: Options,
  ): Promise<types.WaypointOut> {
    return this.#transport.call("PATCH", `/v1/waypoints/${segment(waypointId)}`, { body, options });
  }
}
