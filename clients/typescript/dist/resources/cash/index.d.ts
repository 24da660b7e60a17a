import type { Transport } from "../../transport.js";
import { CashBalances } from "./balances.js";
import { CashCollections } from "./collections.js";
import { CashDifferences } from "./differences.js";
import { CashHandIns } from "./handIns.js";
import { CashRemittances } from "./remittances.js";
export declare class Cash {
    readonly balances: CashBalances;
    readonly collections: CashCollections;
    readonly differences: CashDifferences;
    readonly handIns: CashHandIns;
    readonly remittances: CashRemittances;
    constructor(transport: Transport);
}
