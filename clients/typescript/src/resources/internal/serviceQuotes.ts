// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface InternalServiceQuotesListQuery {
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

/** Parameters of `preview`. */
export interface InternalServiceQuotesPreviewQuery {
  /** A place's identifier, a point, or an address with a point. */
  pickup?: string | types.PlaceIn | types.GeoJsonPoint | ReadonlyArray<number> | undefined;
  /** A place's identifier, a point, or an address with a point. */
  dropoff?: string | types.PlaceIn | types.GeoJsonPoint | ReadonlyArray<number> | undefined;
  /** Stops in order, between `pickup` and `dropoff` if these are sent. */
  waypoints?: string | types.PlaceIn | types.PlacedStop | types.GeoJsonPoint | ReadonlyArray<number> | ReadonlyArray<string | types.PlaceIn | types.PlacedStop | types.GeoJsonPoint | ReadonlyArray<number>> | undefined;
  /** Items to deliver. */
  entities?: types.ItemIn | ReadonlyArray<types.ItemIn> | undefined;
  /** The scheduled time. Defaults to now. */
  scheduled_at?: string | Date | undefined;
  /** Cash to collect, in minor units, or `true`: only rates that accept cash. */
  cod?: string | number | boolean | undefined;
  /** Only rates in this currency. */
  currency?: string | undefined;
  /** Only rates of this type. */
  service_type?: string | undefined;
  /** Replaces all locations and items. */
  payload?: string | undefined;
  /** A vendor or a contact. */
  facilitator?: string | undefined;
  /** Also use the rates of this customer, contact or vendor. */
  customer?: string | undefined;
  /** An order configuration, or its key. */
  order_config?: string | undefined;
  /** Metres of the route, instead of measuring it. */
  distance?: number | undefined;
  /** Seconds of the route, instead of measuring it. */
  time?: number | undefined;
  /** Number of quotes. */
  limit?: number | undefined;
  /** Also list the other rates and their reasons. */
  explain?: boolean | undefined;
}

export class InternalServiceQuotes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Accept a quote. */
  accept(
    serviceQuoteId: string,
    body: types.AcceptIn = {},
    options?: Options,
  ): Promise<types.TransactionOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/service-quotes/${segment(serviceQuoteId)}/accept`,
      { body, options },
    );
  }

  /** Retrieve a quote. */
  get(serviceQuoteId: string, options?: Options): Promise<types.OrderQuoteOut> {
    return this.#transport.call(
      "GET",
      `/int/v1/service-quotes/${segment(serviceQuoteId)}`,
      { options },
    );
  }

  /** List the quotes of all orders, newest first. */
  list(query: InternalServiceQuotesListQuery = {}, options?: Options): Pages<types.OrderQuoteOut> {
    return this.#transport.list("/int/v1/service-quotes", query, options);
  }

  /** List a shipment's prices under every rate that applies, cheapest first. */
  preview(
    query: InternalServiceQuotesPreviewQuery = {},
    options?: Options,
  ): Promise<Array<types.QuoteOut> | types.ExplainedOut> {
    return this.#transport.call("GET", "/int/v1/service-quotes/preview", { query, options });
  }
}
