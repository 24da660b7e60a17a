// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface DriverMessagesListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Filter by driver. */
  driver?: string | undefined;
  /** About this order. */
  order?: string | undefined;
  /** Only messages to the caller's side that nobody has read. */
  unread?: boolean | undefined;
}

export class DriverMessages {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Send a message to a driver. */
  create(body: types.DriverMessageIn, options?: Options): Promise<types.DriverMessageOut> {
    return this.#transport.call("POST", "/v1/driver-messages", { body, options });
  }

  /** Send a message with photos, as JSON or as a form. */
  createWithPhotos(
    body: types.PhotoMessageIn = {},
    options?: Options,
  ): Promise<types.DriverMessageOut> {
    return this.#transport.call("POST", "/v1/driver-messages/with-photos", { body, options });
  }

  /** List messages between dispatch and drivers, newest first. */
  list(query: DriverMessagesListQuery = {}, options?: Options): Pages<types.DriverMessageOut> {
    return this.#transport.list("/v1/driver-messages", query, options);
  }

  /** Mark a thread as read, up to this message, by the side that sends the request. */
  read(
    driverMessageId: string,
    body: types.MessageReadIn = {},
    options?: Options,
  ): Promise<types.DriverMessageOut> {
    return this.#transport.call(
      "POST",
      `/v1/driver-messages/${segment(driverMessageId)}/read`,
      { body, options },
    );
  }
}
