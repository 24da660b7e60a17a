import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
export declare class InternalSms {
    #private;
    constructor(transport: Transport);
    /** Report the SMS codes sent in the last 24 hours, and the paused countries. */
    get(options?: Options): Promise<types.SmsOverview>;
}
