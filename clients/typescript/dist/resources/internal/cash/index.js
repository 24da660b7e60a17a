import { InternalCashBalances } from "./balances.js";
import { InternalCashCollections } from "./collections.js";
import { InternalCashDifferences } from "./differences.js";
import { InternalCashHandIns } from "./handIns.js";
import { InternalCashRemittances } from "./remittances.js";
export class InternalCash {
    balances;
    collections;
    differences;
    handIns;
    remittances;
    constructor(transport) {
        this.balances = new InternalCashBalances(transport);
        this.collections = new InternalCashCollections(transport);
        this.differences = new InternalCashDifferences(transport);
        this.handIns = new InternalCashHandIns(transport);
        this.remittances = new InternalCashRemittances(transport);
    }
}
