import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
export declare class InternalTestMessages {
    #private;
    constructor(transport: Transport);
    /** Send a test message by SMS or email. */
    create(body: types.TestMessageIn, options?: Options): Promise<types.MessageOut>;
}
