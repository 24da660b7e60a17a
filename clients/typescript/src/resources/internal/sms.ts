// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

export class InternalSms {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Report the SMS codes sent in the last 24 hours, and the paused countries. */
  get(options?: Options): Promise<types.SmsOverview> {
    return this.#transport.call("GET", "/int/v1/sms", { options });
  }
}
