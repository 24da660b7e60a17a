// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface InternalWebhookDeliveriesListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Filter by event name. */
  event?: string | ReadonlyArray<string> | undefined;
  /** Filter by state. `canceled` is the same as `cancelled`. */
  state?: types.DeliveryState | ReadonlyArray<types.DeliveryState> | undefined;
  /** Created at or after this time. */
  since?: string | Date | undefined;
  /** Created before this time. */
  until?: string | Date | undefined;
  /** UUID or public id of the record that the event is about. */
  subject?: string | undefined;
  /** Filter by event id. */
  event_id?: string | undefined;
  /** Filter by webhook. */
  webhook?: string | undefined;
}

export class InternalWebhookDeliveries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieve a delivery with its body and all attempts. */
  get(deliveryId: string, options?: Options): Promise<types.DeliveryDetailOut> {
    return this.#transport.call(
      "GET",
      `/int/v1/webhook-deliveries/${segment(deliveryId)}`,
      { options },
    );
  }

  /** List the deliveries to all webhooks, newest first. */
  list(
    query: InternalWebhookDeliveriesListQuery = {},
    options?: Options,
  ): Pages<types.DeliveryOut> {
    return this.#transport.list("/int/v1/webhook-deliveries", query, options);
  }

  /** Replay a delivery with the same ID and body, and restart its retry schedule. */
  replay(deliveryId: string, options?: Options): Promise<types.DeliveryOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/webhook-deliveries/${segment(deliveryId)}/replay`,
      { options },
    );
  }

  /** Replay deliveries, oldest first, or count them. */
  replayMany(body: types.ReplayIn, options?: Options): Promise<types.ReplayOut> {
    return this.#transport.call("POST", "/int/v1/webhook-deliveries/replay", { body, options });
  }
}
