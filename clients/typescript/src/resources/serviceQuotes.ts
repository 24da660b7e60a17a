// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface ServiceQuotesListQuery {
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

export class ServiceQuotes {
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
      `/v1/service-quotes/${segment(serviceQuoteId)}/accept`,
      { body, options },
    );
  }

  /** Retrieve a quote. */
  get(serviceQuoteId: string, options?: Options): Promise<types.OrderQuoteOut> {
    return this.#transport.call(
      "GET",
      `/v1/service-quotes/${segment(serviceQuoteId)}`,
      { options },
    );
  }

  /** List a shipment's prices under every rate that applies, cheapest first. */
  list(
    query: ServiceQuotesListQuery = {},
    options?: Options,
  ): Promise<Array<types.QuoteOut> | types.ExplainedOut> {
    return this.#transport.call("GET", "/v1/service-quotes", { query, options });
  }
}
