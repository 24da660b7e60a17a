// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface InternalWebhooksListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Filter by state. */
  state?: types.WebhookState | ReadonlyArray<types.WebhookState> | undefined;
  /** Searches URL and description. */
  query?: string | undefined;
}

/** Parameters of `listDeliveries`. */
export interface InternalWebhooksListDeliveriesQuery {
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
}

export class InternalWebhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Register a webhook. */
  create(body: types.WebhookIn, options?: Options): Promise<types.NewWebhookOut> {
    return this.#transport.call("POST", "/int/v1/webhooks", { body, options });
  }

  /** Delete a webhook. */
  delete(webhookId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/int/v1/webhooks/${segment(webhookId)}`, { options });
  }

  /** Retrieve a webhook, without its secrets and header values. */
  get(webhookId: string, options?: Options): Promise<types.WebhookOut> {
    return this.#transport.call("GET", `/int/v1/webhooks/${segment(webhookId)}`, { options });
  }

  /** Retrieve the success rate and response times for the last 24 hours. */
  getPerformance(webhookId: string, options?: Options): Promise<types.PerformanceOut> {
    return this.#transport.call(
      "GET",
      `/int/v1/webhooks/${segment(webhookId)}/performance`,
      { options },
    );
  }

  /** List the company's webhooks. */
  list(query: InternalWebhooksListQuery = {}, options?: Options): Pages<types.WebhookOut> {
    return this.#transport.list("/int/v1/webhooks", query, options);
  }

  /** List the deliveries to a webhook, newest first. */
  listDeliveries(
    webhookId: string,
    query: InternalWebhooksListDeliveriesQuery = {},
    options?: Options,
  ): Pages<types.DeliveryOut> {
    return this.#transport.list(
      `/int/v1/webhooks/${segment(webhookId)}/deliveries`,
      query,
      options,
    );
  }

  /** Send a test ping, whatever the webhook's state, and return the result. */
  ping(webhookId: string, options?: Options): Promise<types.PingOut> {
    return this.#transport.call("POST", `/int/v1/webhooks/${segment(webhookId)}/ping`, { options });
  }

  /** Create a new secret. */
  rotateSecret(
    webhookId: string,
    body: types.RotateIn = {},
    options?: Options,
  ): Promise<types.NewWebhookOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/webhooks/${segment(webhookId)}/rotate-secret`,
      { body, options },
    );
  }

  /** Update a webhook. */
  update(
    webhookId: string,
    body: types.WebhookChange = {},
    options?: Options,
  ): Promise<types.WebhookOut> {
    return this.#transport.call(
      "PATCH",
      `/int/v1/webhooks/${segment(webhookId)}`,
      { body, options },
    );
  }
}
