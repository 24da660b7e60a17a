// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface InternalServiceRatesListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /**
   * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `service_name`.
   */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Search text, matched against the beginnings of words in names and numbers. */
  query?: string | undefined;
  /** Filter by service type. */
  service_type?: string | undefined;
  /** Filter by status. */
  status?: types.RecordStatus | undefined;
  /** Return only rates that storefronts can see; `false` returns the others. */
  public?: boolean | undefined;
  /** ISO 4217 code. */
  currency?: string | undefined;
  /** A service area, by its identifier. */
  service_area?: string | undefined;
  /** A zone. */
  zone?: string | undefined;
}

export class InternalServiceRates {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create a service rate. */
  create(body: types.ServiceRateIn, options?: Options): Promise<types.ServiceRateOut> {
    return this.#transport.call("POST", "/int/v1/service-rates", { body, options });
  }

  /** Delete a service rate. */
  delete(serviceRateId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call(
      "DELETE",
      `/int/v1/service-rates/${segment(serviceRateId)}`,
      { options },
    );
  }

  /** Retrieve a service rate. */
  get(serviceRateId: string, options?: Options): Promise<types.ServiceRateOut> {
    return this.#transport.call(
      "GET",
      `/int/v1/service-rates/${segment(serviceRateId)}`,
      { options },
    );
  }

  /** List service rates. */
  list(query: InternalServiceRatesListQuery = {}, options?: Options): Pages<types.ServiceRateOut> {
    return this.#transport.list("/int/v1/service-rates", query, options);
  }

  /** Price a shipment with one rate or all rates, or explain why no price applies. */
  preview(body: types.PreviewIn = {}, options?: Options): Promise<types.PreviewOut> {
    return this.#transport.call("POST", "/int/v1/service-rates/preview", { body, options });
  }

  /** Update a service rate. */
  update(
    serviceRateId: string,
    body: types.ServiceRateChange = {},
    options?: Options,
  ): Promise<types.ServiceRateOut> {
    return this.#transport.call(
      "PATCH",
      `/int/v1/service-rates/${segment(serviceRateId)}`,
      { body, options },
    );
  }
}
