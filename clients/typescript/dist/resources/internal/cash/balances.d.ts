import type { Options } from "../../../requests.js";
import type { Transport } from "../../../transport.js";
import type * as types from "../../../types.js";
export declare class InternalCashBalances {
    #private;
    constructor(transport: Transport);
    /** List the cash that drivers carry, and the cash to remit to merchants. */
    get(options?: Options): Promise<types.CashBalancesOut>;
}
