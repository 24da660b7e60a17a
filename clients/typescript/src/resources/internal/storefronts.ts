// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface InternalStorefrontsListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
}

export class InternalStorefronts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Retrieve a storefront, without the secrets of its sign-in providers. */
  get(storefrontId: string, options?: Options): Promise<types.StorefrontOut> {
    return this.#transport.call("GET", `/int/v1/storefronts/${segment(storefrontId)}`, { options });
  }

  /** List storefronts. */
  list(query: InternalStorefrontsListQuery = {}, options?: Options): Pages<types.StorefrontOut> {
    return this.#transport.list("/int/v1/storefronts", query, options);
  }

  /** Update a storefront's name, sign-in providers or settings. */
  update(
    storefrontId: string,
    body: types.StorefrontChange = {},
    options?: Options,
  ): Promise<types.StorefrontOut> {
    return this.#transport.call(
      "PATCH",
      `/int/v1/storefronts/${segment(storefrontId)}`,
      { body, options },
    );
  }
}
