// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

export class InternalHome {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieve today's figures, and the counts of what needs a decision. */
  get(options?: Options): Promise<types.Home> {
    return this.#transport.call("GET", "/int/v1/home", { options });
  }
}
