// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

export class InternalEventCatalog {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List all event types with the JSON Schema of their data. */
  list(options?: Options): Promise<Array<types.EntryOut>> {
    return this.#transport.call("GET", "/int/v1/event-catalog", { options });
  }
}
