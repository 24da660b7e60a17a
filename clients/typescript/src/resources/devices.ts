// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface DevicesListQuery {
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

/** Parameters of `listAttachments`. */
export interface DevicesListAttachmentsQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
}

export class Devices {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Attach a device to a vehicle. */
  attach(deviceId: string, body: types.AttachIn, options?: Options): Promise<types.DeviceOut> {
    return this.#transport.call(
      "POST",
      `/v1/devices/${segment(deviceId)}/attach`,
      { body, options },
    );
  }

  /** Register a device. */
  create(body: types.NewDeviceIn, options?: Options): Promise<types.NewDeviceOut> {
    return this.#transport.call("POST", "/v1/devices", { body, options });
  }

  /** Delete a device. */
  delete(deviceId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/v1/devices/${segment(deviceId)}`, { options });
  }

  /** Detach a device from its vehicle. */
  detach(deviceId: string, body: types.DetachIn = {}, options?: Options): Promise<types.DeviceOut> {
    return this.#transport.call(
      "POST",
      `/v1/devices/${segment(deviceId)}/detach`,
      { body, options },
    );
  }

  /** Retrieve a device. */
  get(deviceId: string, options?: Options): Promise<types.DeviceOut> {
    return this.#transport.call("GET", `/v1/devices/${segment(deviceId)}`, { options });
  }

  /** List devices. */
  list(query: DevicesListQuery = {}, options?: Options): Pages<types.DeviceOut> {
    return this.#transport.list("/v1/devices", query, options);
  }

  /** List the vehicles that a device was attached to, latest first. */
  listAttachments(
    deviceId: string,
    query: DevicesListAttachmentsQuery = {},
    options?: Options,
  ): Pages<types.AttachmentOut> {
    return this.#transport.list(`/v1/devices/${segment(deviceId)}/attachments`, query, options);
  }

  /** Issue a new token. */
  rotateToken(
    deviceId: string,
    body: types.RotateTokenIn = {},
    options?: Options,
  ): Promise<types.NewDeviceOut> {
    return this.#transport.call(
      "POST",
      `/v1/devices/${segment(deviceId)}/rotate-token`,
      { body, options },
    );
  }

  /** Update a device. */
  update(
    deviceId: string,
    body: types.DeviceChange = {},
    options?: Options,
  ): Promise<types.DeviceOut> {
    return this.#transport.call("PATCH", `/v1/devices/${segment(deviceId)}`, { body, options });
  }
}
