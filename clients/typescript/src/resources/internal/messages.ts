// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface InternalMessagesListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Phone number, email address or device. */
  to?: string | undefined;
  /** The channel. */
  channel?: types.MessageChannel | undefined;
  /** Only messages in this state. */
  state?: "drawer" | "due" | "failed" | "sent" | undefined;
  /** Only news of this order, by public id. */
  order?: string | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  since?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  until?: string | Date | undefined;
}

export class InternalMessages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieve a message and its delivery state. */
  get(messageId: string, options?: Options): Promise<types.MessageOut> {
    return this.#transport.call("GET", `/int/v1/messages/${segment(messageId)}`, { options });
  }

  /** List messages, newest first, including those of channels without a provider. */
  list(query: InternalMessagesListQuery = {}, options?: Options): Pages<types.MessageOut> {
    return this.#transport.list("/int/v1/messages", query, options);
  }
}
