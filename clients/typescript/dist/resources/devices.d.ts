import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
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
    /** Search words. */
    query?: string | undefined;
    /** Any of these. */
    kind?: "camera" | "gateway" | "obd" | "phone" | "sensor" | "tracker" | "virtual" | ReadonlyArray<"camera" | "gateway" | "obd" | "phone" | "sensor" | "tracker" | "virtual"> | undefined;
    /** Filter by vehicle, including the phone of its driver. */
    vehicle?: string | undefined;
    /** This driver's phone. */
    driver?: string | undefined;
    /** Any of these. */
    status?: "never_seen" | "offline" | "online" | "stale" | ReadonlyArray<"never_seen" | "offline" | "online" | "stale"> | undefined;
    /** The device's own id: an IMEI, a serial number or the id in an app. */
    identifier?: string | undefined;
}
/** Parameters of `listAttachments`. */
export interface DevicesListAttachmentsQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
}
export declare class Devices {
    #private;
    constructor(transport: Transport);
    /** Attach a device to a vehicle. */
    attach(deviceId: string, body: types.AttachIn, options?: Options): Promise<types.DeviceOut>;
    /** Register a device. */
    create(body: types.NewDeviceIn, options?: Options): Promise<types.NewDeviceOut>;
    /** Delete a device. */
    delete(deviceId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Detach a device from its vehicle. */
    detach(deviceId: string, body?: types.DetachIn, options?: Options): Promise<types.DeviceOut>;
    /** Retrieve a device. */
    get(deviceId: string, options?: Options): Promise<types.DeviceOut>;
    /** List devices. */
    list(query?: DevicesListQuery, options?: Options): Pages<types.DeviceOut>;
    /** List the vehicles that a device was attached to, latest first. */
    listAttachments(deviceId: string, query?: DevicesListAttachmentsQuery, options?: Options): Pages<types.AttachmentOut>;
    /** Issue a new token. */
    rotateToken(deviceId: string, body?: types.RotateTokenIn, options?: Options): Promise<types.NewDeviceOut>;
    /** Update a device. */
    update(deviceId: string, body?: types.DeviceChange, options?: Options): Promise<types.DeviceOut>;
}
