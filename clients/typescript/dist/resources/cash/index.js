import { CashBalances } from "./balances.js";
import { CashCollections } from "./collections.js";
import { CashDifferences } from "./differences.js";
import { CashHandIns } from "./handIns.js";
import { CashRemittances } from "./remittances.js";
export class Cash {
    balances;
    collections;
    differences;
    handIns;
    remittances;
    constructor(transport) {
        this.balances = new CashBalances(transport);
        this.collections = new CashCollections(transport);
        this.differences = new CashDifferences(transport);
        this.handIns = new CashHandIns(transport);
        this.remittances = new CashRemittances(transport);
    }
}
