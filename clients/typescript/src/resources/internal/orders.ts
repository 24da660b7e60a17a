// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `getBoard`. */
export interface InternalOrdersGetBoardQuery {
  /** Maximum number of cards per column. */
  limit?: number | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /**
   * Search text: any part of the order's numbers, notes, the customer's name, an item, an address,
   * or a phone number or e-mail address of the customer or at a stop. Case, accents and spacing do
   * not matter. Searches for items, addresses and people find the newest orders of at most 1,000
   * matching records.
   */
  query?: string | undefined;
  /** Filter by identifier, tracking number or the company's own number. */
  id?: string | ReadonlyArray<string> | undefined;
  /** Any of these. */
  status?: string | ReadonlyArray<string> | undefined;
  /** The configuration's key. */
  type?: string | undefined;
  /** An order configuration, by identifier or key. Defaults to the company's. */
  order_config?: string | undefined;
  /** The company's own number. Unique, unless the company allows duplicates. */
  internal_id?: string | undefined;
  /** Assigned to this driver. */
  driver?: string | undefined;
  /** Assigned to this vehicle. */
  vehicle?: string | undefined;
  /** A contact or vendor, by its identifier. */
  customer?: string | undefined;
  /** A vendor or contact, by its identifier. */
  facilitator?: string | undefined;
  /** Payload, by UUID or public id. */
  payload?: string | undefined;
  /** Collected at this place. */
  pickup?: string | undefined;
  /** Delivered to this place. */
  dropoff?: string | undefined;
  /** The tracking number of the order, a stop or an item. */
  tracking?: string | undefined;
  /** Any of these. */
  price_status?: types.PriceStatus | ReadonlyArray<types.PriceStatus> | undefined;
  /** Any of these. */
  payment_status?: types.OrderPaymentStatus | ReadonlyArray<types.OrderPaymentStatus> | undefined;
  /** Exactly this balance. */
  balance?: number | undefined;
  /** At least this balance, such as 1 for what is owed. */
  balance_min?: number | undefined;
  /** At most this balance, such as -1 for credits. */
  balance_max?: number | undefined;
  /** Return only orders that require proof; `false` returns the others. */
  pod_required?: boolean | undefined;
  /** Return only ad-hoc orders; `false` returns the others. */
  adhoc?: boolean | undefined;
  /** Return only dispatched orders; `false` returns the others. */
  dispatched?: boolean | undefined;
  /** Return only started orders; `false` returns the others. */
  started?: boolean | undefined;
  /** Dispatched, and still open. */
  active?: boolean | undefined;
  /** Only orders without a driver. */
  unassigned?: boolean | undefined;
  /** Whether the order is dispatched automatically. */
  scheduled?: boolean | undefined;
  /** Open, and late, held or with an issue that is not resolved. */
  attention?: boolean | undefined;
  /**
   * Open, and after the end of its time window, or after its scheduled time while it is not
   * dispatched.
   */
  late?: boolean | undefined;
  /** Open, and on hold after a failed attempt until somebody decides. */
  held?: boolean | undefined;
  /** A delivery attempt failed on this day in the company's time zone. */
  failed_on?: string | undefined;
  /** Completed on this day in the company's time zone. */
  completed_on?: string | undefined;
  /** Completed, and whether that was before the end of its time window. */
  on_time?: boolean | undefined;
  /**
   * Open, and by the ETA at a stop `late` for its time window, or `at_risk`: less than ten minutes
   * before its end.
   */
  forecast?: "at_risk" | "late" | ReadonlyArray<"at_risk" | "late"> | undefined;
  /** Scheduled for this day in the company's time zone, or created on it when not scheduled. */
  on?: string | undefined;
  /**
   * Open, and under way or due by the end of today in the company's time zone: by its schedule or
   * time window, if it has one.
   */
  today?: boolean | undefined;
  /** Created at or after this moment. */
  since?: string | Date | undefined;
  /** Created before this moment. */
  until?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  scheduled_since?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  scheduled_until?: string | Date | undefined;
}

/** Parameters of `listServiceQuotes`. */
export interface InternalOrdersListServiceQuotesQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Filter by stored state; see also `status`. */
  state?: types.QuoteState | undefined;
}

export class InternalOrders {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Record cash on delivery that a driver collected. */
  collectCash(
    orderId: string,
    body: types.CollectCashIn,
    options?: Options,
  ): Promise<types.CashCollectionOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/orders/${segment(orderId)}/collect-cash`,
      { body, options },
    );
  }

  /** Charge an order, or credit it with a negative amount. */
  createCharge(
    orderId: string,
    body: types.ChargeIn,
    options?: Options,
  ): Promise<types.OrderChargesOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/orders/${segment(orderId)}/charges`,
      { body, options },
    );
  }

  /** List orders in the columns of the board, with a count for each. */
  getBoard(query: InternalOrdersGetBoardQuery = {}, options?: Options): Promise<types.Board> {
    return this.#transport.call("GET", "/int/v1/orders/board", { query, options });
  }

  /** Show the account of an order: charges, payments and what is still owed. */
  getCharges(orderId: string, options?: Options): Promise<types.OrderChargesOut> {
    return this.#transport.call("GET", `/int/v1/orders/${segment(orderId)}/charges`, { options });
  }

  /** Count the open orders whose ETAs are late or at risk. */
  getForecasts(options?: Options): Promise<types.ForecastCounts> {
    return this.#transport.call("GET", "/int/v1/orders/forecasts", { options });
  }

  /** List the quotes of an order, newest first, including replaced ones. */
  listServiceQuotes(
    orderId: string,
    query: InternalOrdersListServiceQuotesQuery = {},
    options?: Options,
  ): Pages<types.OrderQuoteOut> {
    return this.#transport.list(
      `/int/v1/orders/${segment(orderId)}/service-quotes`,
      query,
      options,
    );
  }

  /** Allow an activity without its proofs. */
  overrideProof(
    orderId: string,
    body: types.OverrideIn,
    options?: Options,
  ): Promise<Array<types.ProofOut>> {
    return this.#transport.call(
      "POST",
      `/int/v1/orders/${segment(orderId)}/override-proof`,
      { body, options },
    );
  }

  /** Reprice an order and list its new quotes, cheapest first. */
  renewServiceQuotes(orderId: string, options?: Options): Promise<Array<types.OrderQuoteOut>> {
    return this.#transport.call(
      "POST",
      `/int/v1/orders/${segment(orderId)}/service-quotes`,
      { options },
    );
  }

  /** Unlock SMS codes for a stop after too many wrong codes. */
  unlockSmsCode(orderId: string, options?: Options): Promise<types.CodesUnlocked> {
    return this.#transport.call(
      "POST",
      `/int/v1/orders/${segment(orderId)}/unlock-sms-code`,
      { options },
    );
  }

  /** Unlock SMS codes for a stop after too many wrong codes. */
  unlockSmsCodeForSubject(
    orderId: string,
    subjectId: string,
    options?: Options,
  ): Promise<types.CodesUnlocked> {
    return this.#transport.call(
      "POST",
      `/int/v1/orders/${segment(orderId)}/unlock-sms-code/${segment(subjectId)}`,
      { options },
    );
  }
}
