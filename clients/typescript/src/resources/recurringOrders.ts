// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface RecurringOrdersListQuery {
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

/** Parameters of `listDays`. */
export interface RecurringOrdersListDaysQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `day`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
}

export class RecurringOrders {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Begin a recurring order: the worker creates orders by a rule of days. */
  create(body: types.RecurringOrderIn, options?: Options): Promise<types.RecurringOrderOut> {
    return this.#transport.call("POST", "/v1/recurring-orders", { body, options });
  }

  /** Create the order of a day now, even if it was refused or skipped before. */
  createOrder(
    recurringOrderId: string,
    body: types.RecurringDayIn,
    options?: Options,
  ): Promise<types.RecurringOrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/recurring-orders/${segment(recurringOrderId)}/create-order`,
      { body, options },
    );
  }

  /** Delete a recurring order and the record of its days. */
  delete(recurringOrderId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call(
      "DELETE",
      `/v1/recurring-orders/${segment(recurringOrderId)}`,
      { options },
    );
  }

  /** End a recurring order for good. */
  end(recurringOrderId: string, options?: Options): Promise<types.RecurringOrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/recurring-orders/${segment(recurringOrderId)}/end`,
      { options },
    );
  }

  /** Retrieve a recurring order. */
  get(recurringOrderId: string, options?: Options): Promise<types.RecurringOrderOut> {
    return this.#transport.call(
      "GET",
      `/v1/recurring-orders/${segment(recurringOrderId)}`,
      { options },
    );
  }

  /** List the next days without an order. */
  getNextDays(recurringOrderId: string, options?: Options): Promise<types.RuleDatesOut> {
    return this.#transport.call(
      "GET",
      `/v1/recurring-orders/${segment(recurringOrderId)}/next-days`,
      { options },
    );
  }

  /** List recurring orders. */
  list(query: RecurringOrdersListQuery = {}, options?: Options): Pages<types.RecurringOrderOut> {
    return this.#transport.list("/v1/recurring-orders", query, options);
  }

  /** List the days that were decided: their orders, or why there is none. */
  listDays(
    recurringOrderId: string,
    query: RecurringOrdersListDaysQuery = {},
    options?: Options,
  ): Pages<types.RecurringDayOut> {
    return this.#transport.list(
      `/v1/recurring-orders/${segment(recurringOrderId)}/days`,
      query,
      options,
    );
  }

  /** Pause a recurring order. */
  pause(recurringOrderId: string, options?: Options): Promise<types.RecurringOrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/recurring-orders/${segment(recurringOrderId)}/pause`,
      { options },
    );
  }

  /** Describe a rule in words, and list its next days. */
  preview(body: types.RulePreviewIn, options?: Options): Promise<types.RuleDatesOut> {
    return this.#transport.call("POST", "/v1/recurring-orders/preview", { body, options });
  }

  /** Resume a recurring order from today on. */
  resume(recurringOrderId: string, options?: Options): Promise<types.RecurringOrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/recurring-orders/${segment(recurringOrderId)}/resume`,
      { options },
    );
  }

  /** Skip one day: a day to come, or one whose order was refused. */
  skip(
    recurringOrderId: string,
    body: types.RecurringDayIn,
    options?: Options,
  ): Promise<types.RecurringOrderOut> {
    return this.#transport.call(
      "POST",
      `/v1/recurring-orders/${segment(recurringOrderId)}/skip`,
      { body, options },
    );
  }

  /** Update a recurring order. */
  update(
    recurringOrderId: string,
    body: types.RecurringOrderChange = {},
    options?: Options,
  ): Promise<types.RecurringOrderOut> {
    return this.#transport.call(
      "PATCH",
      `/v1/recurring-orders/${segment(recurringOrderId)}`,
      { body, options },
    );
  }
}
