import type { Transport } from "../../../transport.js";
import { InternalCashBalances } from "./balances.js";
import { InternalCashCollections } from "./collections.js";
import { InternalCashDifferences } from "./differences.js";
import { InternalCashHandIns } from "./handIns.js";
import { InternalCashRemittances } from "./remittances.js";
export declare class InternalCash {
    readonly balances: InternalCashBalances;
    readonly collections: InternalCashCollections;
    readonly differences: InternalCashDifferences;
    readonly handIns: InternalCashHandIns;
    readonly remittances: InternalCashRemittances;
    constructor(transport: Transport);
}
