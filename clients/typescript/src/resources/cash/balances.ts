// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

export class CashBalances {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List the cash that drivers carry, and the cash to remit to merchants. */
  get(options?: Options): Promise<types.CashBalancesOut> {
    return this.#transport.call("GET", "/v1/cash/balances", { options });
  }
}
