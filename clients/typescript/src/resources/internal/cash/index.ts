// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Transport } from "../../../transport.js";
import { InternalCashBalances } from "./balances.js";
import { InternalCashCollections } from "./collections.js";
import { InternalCashDifferences } from "./differences.js";
import { InternalCashHandIns } from "./handIns.js";
import { InternalCashRemittances } from "./remittances.js";

export class InternalCash {
  readonly balances: InternalCashBalances;
  readonly collections: InternalCashCollections;
  readonly differences: InternalCashDifferences;
  readonly handIns: InternalCashHandIns;
  readonly remittances: InternalCashRemittances;

  constructor(transport: Transport) {
    this.balances = new InternalCashBalances(transport);
    this.collections = new InternalCashCollections(transport);
    this.differences = new InternalCashDifferences(transport);
    this.handIns = new InternalCashHandIns(transport);
    this.remittances = new InternalCashRemittances(transport);
  }
}
