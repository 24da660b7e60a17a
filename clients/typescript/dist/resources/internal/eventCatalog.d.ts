import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
export declare class InternalEventCatalog {
    #private;
    constructor(transport: Transport);
    /** List all event types with the JSON Schema of their data. */
    list(options?: Options): Promise<Array<types.EntryOut>>;
}
