// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Transport } from "../../transport.js";
import { CashBalances } from "./balances.js";
import { CashCollections } from "./collections.js";
import { CashDifferences } from "./differences.js";
import { CashHandIns } from "./handIns.js";
import { CashRemittances } from "./remittances.js";

export class Cash {
  readonly balances: CashBalances;
  readonly collections: CashCollections;
  readonly differences: CashDifferences;
  readonly handIns: CashHandIns;
  readonly remittances: CashRemittances;

  constructor(transport: Transport) {
    this.balances = new CashBalances(transport);
    this.collections = new CashCollections(transport);
    this.differences = new CashDifferences(transport);
    this.handIns = new CashHandIns(transport);
    this.remittances = new CashRemittances(transport);
  }
}
