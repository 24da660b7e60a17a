// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface VehiclesListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /**
   * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `updated_at`,
   * `status`.
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
  status?: types.VehicleStatus | undefined;
  /** Return only those online; `false` returns the others. */
  online?: boolean | undefined;
  /** Filter by type. */
  type?: string | undefined;
  /** Filter by make. */
  make?: string | undefined;
  /** Filter by model. */
  model?: string | undefined;
  /** Filter by VIN. */
  vin?: string | undefined;
  /** Filter by plate number. */
  plate_number?: string | undefined;
  /** The company's own reference. */
  internal_id?: string | undefined;
  /** Only this driver's vehicle. */
  driver?: string | undefined;
  /** Only members of this fleet. */
  fleet?: string | undefined;
}

/** Parameters of `listPositions`. */
export interface VehiclesListPositionsQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `recorded_at`. */
  sort?: string | undefined;
  /** Recorded at or after this time. */
  since?: string | Date | undefined;
  /** Recorded before this time. */
  until?: string | Date | undefined;
}

export class Vehicles {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create a vehicle. */
  create(body: types.VehicleIn = {}, options?: Options): Promise<types.VehicleOut> {
    return this.#transport.call("POST", "/v1/vehicles", { body, options });
  }

  /** Delete a vehicle. */
  delete(vehicleId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/v1/vehicles/${segment(vehicleId)}`, { options });
  }

  /** Retrieve a vehicle. */
  get(vehicleId: string, options?: Options): Promise<types.VehicleOut> {
    return this.#transport.call("GET", `/v1/vehicles/${segment(vehicleId)}`, { options });
  }

  /** List vehicles. */
  list(query: VehiclesListQuery = {}, options?: Options): Pages<types.VehicleOut> {
    return this.#transport.list("/v1/vehicles", query, options);
  }

  /** List a vehicle's positions, latest first. */
  listPositions(
    vehicleId: string,
    query: VehiclesListPositionsQuery = {},
    options?: Options,
  ): Pages<types.PositionOut> {
    return this.#transport.list(`/v1/vehicles/${segment(vehicleId)}/positions`, query, options);
  }

  /** Report a vehicle's position. */
  track(vehicleId: string, body: types.TrackIn = {}, options?: Options): Promise<types.VehicleOut> {
    return this.#transport.call(
      "POST",
      `/v1/vehicles/${segment(vehicleId)}/track`,
      { body, options },
    );
  }

  /** Update a vehicle. */
  update(
    vehicleId: string,
    body: types.VehicleChange = {},
    options?: Options,
  ): Promise<types.VehicleOut> {
    return this.#transport.call("PATCH", `/v1/vehicles/${segment(vehicleId)}`, { body, options });
  }
}
