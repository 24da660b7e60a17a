// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface CashDifferencesListQuery {
  /** Filter by driver. */
  driver?: string | undefined;
  /** Recorded at or after this moment. */
  since?: string | Date | undefined;
  /** Recorded before this moment. */
  until?: string | Date | undefined;
}

export class CashDifferences {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Total the differences between counted and expected cash per driver and currency. */
  list(
    query: CashDifferencesListQuery = {},
    options?: Options,
  ): Promise<Array<types.DifferenceOut>> {
    return this.#transport.call("GET", "/v1/cash/differences", { query, options });
  }
}
