// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../../../requests.js";
import type { Transport } from "../../../transport.js";
import type * as types from "../../../types.js";

/** Parameters of `export`. */
export interface InternalCashDifferencesExportQuery {
  /** Filter by driver. */
  driver?: string | undefined;
  /** Recorded at or after this moment. */
  since?: string | Date | undefined;
  /** Recorded before this moment. */
  until?: string | Date | undefined;
  /** Format of the file. */
  format?: "csv" | undefined;
}

/** Parameters of `list`. */
export interface InternalCashDifferencesListQuery {
  /** Filter by driver. */
  driver?: string | undefined;
  /** Recorded at or after this moment. */
  since?: string | Date | undefined;
  /** Recorded before this moment. */
  until?: string | Date | undefined;
}

export class InternalCashDifferences {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Download all differences as CSV: of collections, then of hand-ins, oldest first. */
  export(query: InternalCashDifferencesExportQuery = {}, options?: Options): Promise<Uint8Array> {
    return this.#transport.download("/int/v1/cash/differences/export", { query, options });
  }

  /** Total the differences between counted and expected cash per driver and currency. */
  list(
    query: InternalCashDifferencesListQuery = {},
    options?: Options,
  ): Promise<Array<types.DifferenceOut>> {
    return this.#transport.call("GET", "/int/v1/cash/differences", { query, options });
  }
}
