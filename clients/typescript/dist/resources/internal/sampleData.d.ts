import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
export declare class InternalSampleData {
    #private;
    constructor(transport: Transport);
    /** Add sample data to a company without orders and webhooks. */
    create(options?: Options): Promise<types.SampleDataOut>;
    /** Remove the sample data, except records that were changed or are in use. */
    delete(options?: Options): Promise<types.SampleDataOut>;
    /** List the sample data that was not removed. */
    get(options?: Options): Promise<types.SampleDataOut>;
}
