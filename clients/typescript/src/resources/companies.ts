// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

export class Companies {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieve the company that the key belongs to. */
  getCurrent(options?: Options): Promise<types.CompanyOut> {
    return this.#transport.call("GET", "/v1/companies/current", { options });
  }
}
