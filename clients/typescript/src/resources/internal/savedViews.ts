// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface InternalSavedViewsListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Filter by list name. */
  list_name?: "orders" | undefined;
}

export class InternalSavedViews {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Save the filters, sorting and layout of a list under a name. */
  create(body: types.SavedViewIn, options?: Options): Promise<types.SavedViewOut> {
    return this.#transport.call("POST", "/int/v1/saved-views", { body, options });
  }

  /** Delete one of your views. */
  delete(savedViewId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call(
      "DELETE",
      `/int/v1/saved-views/${segment(savedViewId)}`,
      { options },
    );
  }

  /** Retrieve a view. */
  get(savedViewId: string, options?: Options): Promise<types.SavedViewOut> {
    return this.#transport.call("GET", `/int/v1/saved-views/${segment(savedViewId)}`, { options });
  }

  /** List your own views and those that others share. */
  list(query: InternalSavedViewsListQuery = {}, options?: Options): Pages<types.SavedViewOut> {
    return this.#transport.list("/int/v1/saved-views", query, options);
  }

  /** Change one of your views. */
  update(
    savedViewId: string,
    body: types.SavedViewChange = {},
    options?: Options,
  ): Promise<types.SavedViewOut> {
    return this.#transport.call(
      "PATCH",
      `/int/v1/saved-views/${segment(savedViewId)}`,
      { body, options },
    );
  }
}
