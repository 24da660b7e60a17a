// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface FleetModuleDevicesListQuery {
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
  kind?: types.DeviceKind | ReadonlyArray<types.DeviceKind> | undefined;
  /** Filter by vehicle, including the phone of its driver. */
  vehicle?: string | undefined;
  /** This driver's phone. */
  driver?: string | undefined;
  /** Any of these. */
  status?: types.ConnectionStatus | ReadonlyArray<types.ConnectionStatus> | undefined;
  /** The device's own id: an IMEI, a serial number or the id in an app. */
  identifier?: string | undefined;
}

/** Parameters of `listEvents`. */
export interface FleetModuleDevicesListEventsQuery {
  /** Filter by device. */
  device?: string | ReadonlyArray<string> | undefined;
  /** Filter by vehicle: events of devices while they were attached to it. */
  vehicle?: string | ReadonlyArray<string> | undefined;
  /** Filter by event type. */
  event_type?: string | ReadonlyArray<string> | undefined;
  /** Filter by severity. */
  severity?: types.Severity | ReadonlyArray<types.Severity> | undefined;
  /** Start of the period, inclusive. */
  from?: string | Date | undefined;
  /** End of the period, exclusive. */
  to?: string | Date | undefined;
  /**
   * West, south, east and north in degrees. West is greater than east if the box crosses the 180th
   * meridian.
   */
  bbox?: string | ReadonlyArray<number> | undefined;
  /** Rows per page. */
  limit?: number | undefined;
  /** Newest first. Without `-`, oldest first. */
  sort?: "-timestamp" | "timestamp" | undefined;
  /**
   * List in the order of arrival instead: after the `next_cursor` of the previous page, from the
   * `beginning` (30 days ago), or from `now`. Late events are included. An empty page has a cursor
   * as well; use it for the next request.
   */
  after?: string | undefined;
}

/** Parameters of `listLatest`. */
export interface FleetModuleDevicesListLatestQuery {
  /** Rows per page. */
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
  kind?: types.DeviceKind | ReadonlyArray<types.DeviceKind> | undefined;
  /** Filter by vehicle, including the phone of its driver. */
  vehicle?: string | undefined;
  /** This driver's phone. */
  driver?: string | undefined;
  /** Any of these. */
  status?: types.ConnectionStatus | ReadonlyArray<types.ConnectionStatus> | undefined;
  /** The device's own id: an IMEI, a serial number or the id in an app. */
  identifier?: string | undefined;
}

export class FleetModuleDevices {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Send the events of a device: one, or up to 5,000 as a list or as NDJSON. */
  createEvents(
    deviceId: string,
    body: ReadonlyArray<types.EventIn> | types.EventIn,
    options?: Options,
  ): Promise<types.IngestOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/fleet-module/devices/${segment(deviceId)}/events`,
      { body, options },
    );
  }

  /** Retrieve a device. */
  get(deviceId: string, options?: Options): Promise<types.DeviceOut> {
    return this.#transport.call(
      "GET",
      `/int/v1/fleet-module/devices/${segment(deviceId)}`,
      { options },
    );
  }

  /** List devices. */
  list(query: FleetModuleDevicesListQuery = {}, options?: Options): Pages<types.DeviceOut> {
    return this.#transport.list("/int/v1/fleet-module/devices", query, options);
  }

  /** List a device's events, newest first. */
  listEvents(
    deviceId: string,
    query: FleetModuleDevicesListEventsQuery = {},
    options?: Options,
  ): Pages<types.DeviceEventOut> {
    return this.#transport.list(
      `/int/v1/fleet-module/devices/${segment(deviceId)}/events`,
      query,
      options,
    );
  }

  /** List devices with their status, last position and the latest reading of each type. */
  listLatest(
    query: FleetModuleDevicesListLatestQuery = {},
    options?: Options,
  ): Pages<types.DeviceLatestOut> {
    return this.#transport.list("/int/v1/fleet-module/devices/latest", query, options);
  }
}
