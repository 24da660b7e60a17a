// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface StorefrontServiceQuotesListQuery {
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
  /** Number of quotes. */
  limit?: number | undefined;
}

export class StorefrontServiceQuotes {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** List a shipment's prices under every rate visible in the store, cheapest first. */
  list(
    query: StorefrontServiceQuotesListQuery = {},
    options?: Options,
  ): Promise<Array<types.QuoteOut>> {
    return this.#transport.call("GET", "/storefront/v1/service-quotes", { query, options });
  }
}
