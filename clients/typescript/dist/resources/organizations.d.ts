import type { Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
export declare class Organizations {
    #private;
    constructor(transport: Transport);
    /** Retrieve the company that the key belongs to. */
    getCurrent(options?: Options): Promise<types.CompanyOut>;
}
