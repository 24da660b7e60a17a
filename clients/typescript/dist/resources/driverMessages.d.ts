import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface DriverMessagesListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** Filter by driver. */
    driver?: string | undefined;
    /** About this order. */
    order?: string | undefined;
    /** Only messages to the caller's side that nobody has read. */
    unread?: boolean | undefined;
}
export declare class DriverMessages {
    #private;
    constructor(transport: Transport);
    /** Send a message to a driver. */
    create(body: types.DriverMessageIn, options?: Options): Promise<types.DriverMessageOut>;
    /** List messages between dispatch and drivers, newest first. */
    list(query?: DriverMessagesListQuery, options?: Options): Pages<types.DriverMessageOut>;
    /** Mark a thread as read, up to this message, by the side that sends the request. */
    read(driverMessageId: string, body?: types.MessageReadIn, options?: Options): Promise<types.DriverMessageOut>;
    /** Mark a thread as read, up to this message, by the side that sends the request. */
    updateRead(driverMessageId: string, body?: types.MessageReadIn, options?: Options): Promise<types.DriverMessageOut>;
}
