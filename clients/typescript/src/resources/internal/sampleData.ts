// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

export class InternalSampleData {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Add sample data to a company without orders and webhooks. */
  create(options?: Options): Promise<types.SampleDataOut> {
    return this.#transport.call("POST", "/int/v1/sample-data", { options });
  }

  /** Remove the sample data, except records that were changed or are in use. */
  delete(options?: Options): Promise<types.SampleDataOut> {
    return this.#transport.call("DELETE", "/int/v1/sample-data", { options });
  }

  /** List the sample data that was not removed. */
  get(options?: Options): Promise<types.SampleDataOut> {
    return this.#transport.call("GET", "/int/v1/sample-data", { options });
  }
}
