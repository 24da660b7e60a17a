// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface InternalParkedListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
}

export class InternalParked {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Delete a parked job, so that it is not retried. */
  delete(parkedId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/int/v1/parked/${segment(parkedId)}`, { options });
  }

  /** Retrieve a parked job: background work that kept failing. */
  get(parkedId: string, options?: Options): Promise<types.ParkedOut> {
    return this.#transport.call("GET", `/int/v1/parked/${segment(parkedId)}`, { options });
  }

  /** List parked jobs: background work that kept failing. */
  list(query: InternalParkedListQuery = {}, options?: Options): Pages<types.ParkedOut> {
    return this.#transport.list("/int/v1/parked", query, options);
  }

  /** Retry a parked job now. */
  retry(parkedId: string, options?: Options): Promise<types.ParkedOut> {
    return this.#transport.call("POST", `/int/v1/parked/${segment(parkedId)}/retry`, { options });
  }
}
