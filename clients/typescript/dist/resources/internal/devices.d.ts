import type { Pages } from "../../pages.js";
import { type Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `list`. */
export interface InternalDevicesListQuery {
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
export interface InternalDevicesListAttachmentsQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
}
/** Parameters of `listTokens`. */
export interface InternalDevicesListTokensQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** List sessions that ended within the last 30 days, instead of active ones. */
    ended?: boolean | undefined;
}
export declare class InternalDevices {
    #private;
    constructor(transport: Transport);
    /** Attach a device to a vehicle. */
    attach(deviceId: string, body: types.AttachIn, options?: Options): Promise<types.DeviceOut>;
    /** Register a device. */
    create(body: types.NewDeviceIn, options?: Options): Promise<types.NewDeviceOut>;
    /** Delete a device. */
    delete(deviceId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Revoke one token. */
    deleteToken(deviceId: string, tokenId: string, options?: Options): Promise<types.SessionEnded>;
    /** Revoke all tokens. */
    deleteTokens(deviceId: string, options?: Options): Promise<types.SessionEnded>;
    /** Detach a device from its vehicle. */
    detach(deviceId: string, body?: types.DetachIn, options?: Options): Promise<types.DeviceOut>;
    /** Retrieve a device. */
    get(deviceId: string, options?: Options): Promise<types.DeviceOut>;
    /** List devices. */
    list(query?: InternalDevicesListQuery, options?: Options): Pages<types.DeviceOut>;
    /** List the vehicles that a device was attached to, latest first. */
    listAttachments(deviceId: string, query?: InternalDevicesListAttachmentsQuery, options?: Options): Pages<types.AttachmentOut>;
    /** List active or revoked tokens, newest first. */
    listTokens(deviceId: string, query?: InternalDevicesListTokensQuery, options?: Options): Pages<types.SessionOut>;
    /** Issue a new token. */
    rotateToken(deviceId: string, body?: types.RotateTokenIn, options?: Options): Promise<types.NewDeviceOut>;
    /** Update a device. */
    update(deviceId: string, body?: types.DeviceChange, options?: Options): Promise<types.DeviceOut>;
}
