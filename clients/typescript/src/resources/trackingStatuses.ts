// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface TrackingStatusesListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Search text, matched against the beginnings of words in names and numbers. */
  query?: string | undefined;
  /** An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`. */
  order?: string | undefined;
  /** A tracking number, or its identifier. */
  tracking?: string | undefined;
  /** Deprecated: use `tracking`. */
  tracking_number?: string | undefined;
  /** Filter by code. */
  code?: string | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  since?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  until?: string | Date | undefined;
}

export class TrackingStatuses {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Add a tracking status outside the order flow. */
  create(body: types.StatusIn, options?: Options): Promise<types.StatusOut> {
    return this.#transport.call("POST", "/v1/tracking-statuses", { body, options });
  }

  /** Delete a status that was added manually. */
  delete(trackingStatusId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call(
      "DELETE",
      `/v1/tracking-statuses/${segment(trackingStatusId)}`,
      { options },
    );
  }

  /** Retrieve a tracking status. */
  get(trackingStatusId: string, options?: Options): Promise<types.StatusOut> {
    return this.#transport.call(
      "GET",
      `/v1/tracking-statuses/${segment(trackingStatusId)}`,
      { options },
    );
  }

  /** List tracking statuses, newest first. */
  list(query: TrackingStatusesListQuery = {}, options?: Options): Pages<types.StatusOut> {
    return this.#transport.list("/v1/tracking-statuses", query, options);
  }

  /** Update a status that was added manually. */
  update(
    trackingStatusId: string,
    body: types.StatusChange = {},
    options?: Options,
  ): Promise<types.StatusOut> {
    return this.#transport.call(
      "PATCH",
      `/v1/tracking-statuses/${segment(trackingStatusId)}`,
      { body, options },
    );
  }
}
