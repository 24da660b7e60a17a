// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface PlansListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Any of these. */
  state?: types.PlanState | ReadonlyArray<types.PlanState> | undefined;
  /** A day between the years 1970 and 2100. */
  day?: string | undefined;
}

export class Plans {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Assign the orders of a plan to its drivers, all of them or none. */
  accept(planId: string, options?: Options): Promise<types.PlanDetailOut> {
    return this.#transport.call("POST", `/v1/plans/${segment(planId)}/accept`, { options });
  }

  /** Cancel a queued or running plan. */
  cancel(planId: string, options?: Options): Promise<types.PlanDetailOut> {
    return this.#transport.call("POST", `/v1/plans/${segment(planId)}/cancel`, { options });
  }

  /** Request a plan. */
  create(body: types.PlanIn = {}, options?: Options): Promise<types.PlanDetailOut> {
    return this.#transport.call("POST", "/v1/plans", { body, options });
  }

  /** Retrieve a plan with its routes. */
  get(planId: string, options?: Options): Promise<types.PlanDetailOut> {
    return this.#transport.call("GET", `/v1/plans/${segment(planId)}`, { options });
  }

  /** List plans without their routes, sorted by `created_at`. */
  list(query: PlansListQuery = {}, options?: Options): Pages<types.PlanOut> {
    return this.#transport.list("/v1/plans", query, options);
  }

  /** Draw the routes of a plan along streets, or as straight lines without a routing engine. */
  listLines(planId: string, options?: Options): Promise<Array<types.PlanLineOut>> {
    return this.#transport.call("GET", `/v1/plans/${segment(planId)}/lines`, { options });
  }

  /** Preview an edit of a plan. */
  preview(
    planId: string,
    body: types.PlanEditIn = {},
    options?: Options,
  ): Promise<types.PlanPreviewOut> {
    return this.#transport.call("POST", `/v1/plans/${segment(planId)}/preview`, { body, options });
  }

  /** Give the orders of an accepted plan back to the drivers who had them before. */
  revert(
    planId: string,
    body: types.RevertIn = {},
    options?: Options,
  ): Promise<types.PlanDetailOut> {
    return this.#transport.call("POST", `/v1/plans/${segment(planId)}/revert`, { body, options });
  }

  /** Edit a plan that is done: move orders between drivers, and lock orders. */
  update(
    planId: string,
    body: types.PlanEditIn = {},
    options?: Options,
  ): Promise<types.PlanDetailOut> {
    return this.#transport.call("PATCH", `/v1/plans/${segment(planId)}`, { body, options });
  }
}
