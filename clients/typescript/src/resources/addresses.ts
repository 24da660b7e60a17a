// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `findByLocation`. */
export interface AddressesFindByLocationQuery {
  /** `latitude,longitude` or GeoJSON. */
  location: string;
}

/** Parameters of `list`. */
export interface AddressesListQuery {
  /** An address or its beginning: street, house number, postcode and city in any order. */
  query: string;
  /** `latitude,longitude` or GeoJSON. Addresses near it come first. */
  near?: string | undefined;
  /** Only addresses in this country. */
  country?: string | undefined;
  /** Filter by limit. */
  limit?: number | undefined;
}

export class Addresses {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Find the address of a point: the nearest house, street or place. */
  findByLocation(
    query: AddressesFindByLocationQuery,
    options?: Options,
  ): Promise<types.AddressOut> {
    return this.#transport.call("GET", "/v1/addresses/reverse", { query, options });
  }

  /** Suggest addresses for the text typed so far, best match first. */
  list(query: AddressesListQuery, options?: Options): Promise<Array<types.AddressOut>> {
    return this.#transport.call("GET", "/v1/addresses", { query, options });
  }
}
