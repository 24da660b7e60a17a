// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `get`. */
export interface FleetModuleWhereaboutsGetQuery {
  /** Filter by vehicle, or by driver without a vehicle. */
  id?: string | ReadonlyArray<string> | undefined;
  /** Search words. */
  query?: string | undefined;
  /** In any of these states. */
  state?: "moving" | "never_seen" | "offline" | "stale" | "standing" | ReadonlyArray<"moving" | "never_seen" | "offline" | "stale" | "standing"> | undefined;
  /** Only members of this fleet. */
  fleet?: string | undefined;
  /** Maximum number of units. */
  limit?: number | undefined;
}

export class FleetModuleWhereabouts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List positions of vehicles, and of drivers without one, with counts by state. */
  get(
    query: FleetModuleWhereaboutsGetQuery = {},
    options?: Options,
  ): Promise<types.WhereaboutsOut> {
    return this.#transport.call("GET", "/int/v1/fleet-module/whereabouts", { query, options });
  }
}
