// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface OrderTemplatesListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** A part of the name. */
  query?: string | undefined;
}

export class OrderTemplates {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Save an order as a template. */
  create(body: types.OrderTemplateIn, options?: Options): Promise<types.OrderTemplateOut> {
    return this.#transport.call("POST", "/v1/order-templates", { body, options });
  }

  /** Create an order from a template. */
  createOrder(
    orderTemplateId: string,
    body: types.DuplicateIn = {},
    options?: Options,
  ): Promise<types.OrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/order-templates/${segment(orderTemplateId)}/orders`,
      { body, options },
    );
  }

  /** Delete a template. */
  delete(orderTemplateId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call(
      "DELETE",
      `/v1/order-templates/${segment(orderTemplateId)}`,
      { options },
    );
  }

  /** Retrieve an order template. */
  get(orderTemplateId: string, options?: Options): Promise<types.OrderTemplateOut> {
    return this.#transport.call(
      "GET",
      `/v1/order-templates/${segment(orderTemplateId)}`,
      { options },
    );
  }

  /** List order templates. */
  list(query: OrderTemplatesListQuery = {}, options?: Options): Pages<types.OrderTemplateOut> {
    return this.#transport.list("/v1/order-templates", query, options);
  }

  /** Rename a template, or copy another order to it. */
  update(
    orderTemplateId: string,
    body: types.OrderTemplateChange = {},
    options?: Options,
  ): Promise<types.OrderTemplateOut> {
    return this.#transport.call(
      "PATCH",
      `/v1/order-templates/${segment(orderTemplateId)}`,
      { body, options },
    );
  }
}
