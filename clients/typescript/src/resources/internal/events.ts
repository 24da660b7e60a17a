// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface InternalEventsListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Filter by event name. */
  event?: types.Name | ReadonlyArray<types.Name> | undefined;
  /** Only events about this record, by UUID or public id. */
  subject?: string | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  since?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  until?: string | Date | undefined;
}

export class InternalEvents {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieve an event. */
  get(eventId: string, options?: Options): Promise<types.EventOut> {
    return this.#transport.call("GET", `/int/v1/events/${segment(eventId)}`, { options });
  }

  /** List events, newest first. */
  list(query: InternalEventsListQuery = {}, options?: Options): Pages<types.EventOut> {
    return this.#transport.list("/int/v1/events", query, options);
  }
}
