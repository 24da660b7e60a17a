// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface EventsListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Only these events: names, groups such as `order.*`, or `*` for all. */
  event?: string | ReadonlyArray<string> | undefined;
  /** Only events about this record, by UUID or public id. */
  subject?: string | undefined;
  /**
   * Only events of this order, by public id: about the order, its proofs, tracking statuses,
   * charges and cash.
   */
  order?: string | undefined;
  /** Only events created at this time or later. Events are created when their request begins. */
  created_since?: string | Date | undefined;
}

export class Events {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieve an event, in the bytes that webhooks receive. */
  get(eventId: string, options?: Options): Promise<types.EventEnvelope> {
    return this.#transport.call("GET", `/v1/events/${segment(eventId)}`, { options });
  }

  /** List events for catching up: oldest first, in the order in which they were committed. */
  list(query: EventsListQuery = {}, options?: Options): Pages<types.EventEnvelope> {
    return this.#transport.list("/v1/events", query, options);
  }
}
