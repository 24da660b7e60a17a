// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `export`. */
export interface FleetModuleDeviceEventsExportQuery {
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
  /** Format of the file. */
  format?: "csv" | "geojson" | "gpx" | "ndjson" | undefined;
  /** Oldest first; with `-`, newest first. Tracks in GPX are always oldest first. */
  sort?: "-timestamp" | "timestamp" | undefined;
}

/** Parameters of `getCounts`. */
export interface FleetModuleDeviceEventsGetCountsQuery {
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
  /** Days are in the company's time zone. */
  by?: "day" | "hour" | undefined;
}

/** Parameters of `list`. */
export interface FleetModuleDeviceEventsListQuery {
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

/** Parameters of `listRejects`. */
export interface FleetModuleDeviceEventsListRejectsQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `received_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Filter by code. */
  code?: string | undefined;
  /** The device of the event, as the sender named it. */
  device?: string | undefined;
}

export class FleetModuleDeviceEvents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Send the events of many devices: up to 5,000 as a list, in an envelope or as NDJSON. */
  createBatch(
    body: ReadonlyArray<types.NamedEventIn> | types.BatchIn,
    options?: Options,
  ): Promise<types.IngestOut> {
    return this.#transport.call(
      "POST",
      "/int/v1/fleet-module/device-events/batch",
      { body, options },
    );
  }

  /** Download all events that match the filters, oldest first. */
  export(query: FleetModuleDeviceEventsExportQuery = {}, options?: Options): Promise<Uint8Array> {
    return this.#transport.download(
      "/int/v1/fleet-module/device-events/export",
      { query, options },
    );
  }

  /** Retrieve a device event. */
  get(deviceEventId: string, options?: Options): Promise<types.DeviceEventOut> {
    return this.#transport.call(
      "GET",
      `/int/v1/fleet-module/device-events/${segment(deviceEventId)}`,
      { options },
    );
  }

  /** Count events by hour or by day. */
  getCounts(
    query: FleetModuleDeviceEventsGetCountsQuery = {},
    options?: Options,
  ): Promise<types.DeviceEventCounts> {
    return this.#transport.call(
      "GET",
      "/int/v1/fleet-module/device-events/counts",
      { query, options },
    );
  }

  /** List the events of all devices, newest first. */
  list(
    query: FleetModuleDeviceEventsListQuery = {},
    options?: Options,
  ): Pages<types.DeviceEventOut> {
    return this.#transport.list("/int/v1/fleet-module/device-events", query, options);
  }

  /** List events that were rejected and why, newest first. */
  listRejects(
    query: FleetModuleDeviceEventsListRejectsQuery = {},
    options?: Options,
  ): Pages<types.RejectOut> {
    return this.#transport.list("/int/v1/fleet-module/device-events/rejects", query, options);
  }
}
