import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
export declare class InternalHome {
    #private;
    constructor(transport: Transport);
    /** Retrieve today's figures, and the counts of what needs a decision. */
    get(options?: Options): Promise<types.Home>;
}
