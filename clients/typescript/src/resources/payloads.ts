// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface PayloadsListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /**
   * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `updated_at`.
   */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Filter by type. */
  type?: string | undefined;
  /** Filter by state. */
  state?: "begun" | "closed" | "open" | undefined;
}

export class Payloads {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create a payload with its stops and items. */
  create(body: types.PayloadIn = {}, options?: Options): Promise<types.PayloadOut> {
    return this.#transport.call("POST", "/v1/payloads", { body, options });
  }

  /** Delete a payload without an order, together with its stops and items. */
  delete(payloadId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/v1/payloads/${segment(payloadId)}`, { options });
  }

  /** Retrieve a payload with its stops and items. */
  get(payloadId: string, options?: Options): Promise<types.PayloadOut> {
    return this.#transport.call("GET", `/v1/payloads/${segment(payloadId)}`, { options });
  }

  /** List payloads. */
  list(query: PayloadsListQuery = {}, options?: Options): Pages<types.PayloadOut> {
    return this.#transport.list("/v1/payloads", query, options);
  }

  /** Update a payload. */
  update(
    payloadId: string,
    body: types.PayloadChange = {},
    options?: Options,
  ): Promise<types.PayloadOut> {
    return this.#transport.call("PATCH", `/v1/payloads/${segment(payloadId)}`, { body, options });
  }
}
