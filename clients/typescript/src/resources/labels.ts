// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

export class Labels {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Download the shipping labels of several orders as one document, in the given order. */
  print(body: types.LabelsIn, options?: Options): Promise<Uint8Array> {
    return this.#transport.download("/v1/labels", { body, options });
  }
}
