// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface OrderConfigsListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /**
   * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`, `key`.
   */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Search text for name and key. */
  query?: string | undefined;
  /** Filter by key. */
  key?: string | undefined;
  /** Filter by status. */
  status?: types.RecordStatus | undefined;
}

export class OrderConfigs {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create an order configuration. */
  create(body: types.OrderConfigIn, options?: Options): Promise<types.OrderConfigOut> {
    return this.#transport.call("POST", "/v1/order-configs", { body, options });
  }

  /** Delete an order configuration; orders keep the flow they started with. */
  delete(orderConfigId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call(
      "DELETE",
      `/v1/order-configs/${segment(orderConfigId)}`,
      { options },
    );
  }

  /** Retrieve an order configuration. */
  get(orderConfigId: string, options?: Options): Promise<types.OrderConfigOut> {
    return this.#transport.call("GET", `/v1/order-configs/${segment(orderConfigId)}`, { options });
  }

  /** Retrieve one version of an order configuration's flow. */
  getVersion(
    orderConfigId: string,
    number: string,
    options?: Options,
  ): Promise<types.OrderConfigVersionOut> {
    return this.#transport.call(
      "GET",
      `/v1/order-configs/${segment(orderConfigId)}/versions/${segment(number)}`,
      { options },
    );
  }

  /** List order configurations. */
  list(query: OrderConfigsListQuery = {}, options?: Options): Pages<types.OrderConfigOut> {
    return this.#transport.list("/v1/order-configs", query, options);
  }

  /** Update an order configuration. */
  update(
    orderConfigId: string,
    body: types.OrderConfigChange = {},
    options?: Options,
  ): Promise<types.OrderConfigOut> {
    return this.#transport.call(
      "PATCH",
      `/v1/order-configs/${segment(orderConfigId)}`,
      { body, options },
    );
  }
}
