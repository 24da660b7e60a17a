// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface FleetsListQuery {
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
  /** Search words. */
  query?: string | undefined;
  /** Any of these. */
  id?: string | ReadonlyArray<string> | undefined;
  /** Filter by status. */
  status?: types.RecordStatus | undefined;
  /** Fleets within this one. */
  parent_fleet?: string | undefined;
}

export class Fleets {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Add a driver to a fleet. */
  addDriver(
    fleetId: string,
    body: types.FleetDriverIn = {},
    options?: Options,
  ): Promise<types.FleetOut> {
    return this.#transport.call(
      "POST",
      `/v1/fleets/${segment(fleetId)}/drivers`,
      { body, options },
    );
  }

  /** Add a vehicle to a fleet. */
  addVehicle(
    fleetId: string,
    body: types.FleetVehicleIn = {},
    options?: Options,
  ): Promise<types.FleetOut> {
    return this.#transport.call(
      "POST",
      `/v1/fleets/${segment(fleetId)}/vehicles`,
      { body, options },
    );
  }

  /** Create a fleet. */
  create(body: types.FleetIn, options?: Options): Promise<types.FleetOut> {
    return this.#transport.call("POST", "/v1/fleets", { body, options });
  }

  /** Delete a fleet. */
  delete(fleetId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/v1/fleets/${segment(fleetId)}`, { options });
  }

  /** Retrieve a fleet. */
  get(fleetId: string, options?: Options): Promise<types.FleetOut> {
    return this.#transport.call("GET", `/v1/fleets/${segment(fleetId)}`, { options });
  }

  /** List fleets. */
  list(query: FleetsListQuery = {}, options?: Options): Pages<types.FleetOut> {
    return this.#transport.list("/v1/fleets", query, options);
  }

  /** Remove a driver from a fleet. */
  removeDriver(fleetId: string, driverId: string, options?: Options): Promise<types.FleetOut> {
    return this.#transport.call(
      "DELETE",
      `/v1/fleets/${segment(fleetId)}/drivers/${segment(driverId)}`,
      { options },
    );
  }

  /** Remove a vehicle from a fleet. */
  removeVehicle(fleetId: string, vehicleId: string, options?: Options): Promise<types.FleetOut> {
    return this.#transport.call(
      "DELETE",
      `/v1/fleets/${segment(fleetId)}/vehicles/${segment(vehicleId)}`,
      { options },
    );
  }

  /** Update a fleet. */
  update(
    fleetId: string,
    body: types.FleetChange = {},
    options?: Options,
  ): Promise<types.FleetOut> {
    return this.#transport.call("PATCH", `/v1/fleets/${segment(fleetId)}`, { body, options });
  }
}
