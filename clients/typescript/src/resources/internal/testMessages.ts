// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

export class InternalTestMessages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Send a test message by SMS or email. */
  create(body: types.TestMessageIn, options?: Options): Promise<types.MessageOut> {
    return this.#transport.call("POST", "/int/v1/test-messages", { body, options });
  }
}
