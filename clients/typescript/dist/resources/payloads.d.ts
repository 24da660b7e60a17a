import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface PayloadsListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** Filter by type. */
    type?: string | undefined;
    /** Filter by state. */
    state?: "begun" | "closed" | "open" | undefined;
}
export declare class Payloads {
    #private;
    constructor(transport: Transport);
    /** Create a payload with its stops and items. */
    create(body?: types.PayloadIn, options?: Options): Promise<types.PayloadOut>;
    /** Delete a payload without an order, together with its stops and items. */
    delete(payloadId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve a payload with its stops and items. */
    get(payloadId: string, options?: Options): Promise<types.PayloadOut>;
    /** List payloads. */
    list(query?: PayloadsListQuery, options?: Options): Pages<types.PayloadOut>;
    /** Update a payload. */
    update(payloadId: string, body?: types.PayloadChange, options?: Options): Promise<types.PayloadOut>;
}
