import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface PlansListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** Any of these. */
    state?: "accepted" | "canceled" | "done" | "failed" | "queued" | "running" | ReadonlyArray<"accepted" | "canceled" | "done" | "failed" | "queued" | "running"> | undefined;
    /** A day between the years 1970 and 2100. */
    day?: string | undefined;
}
export declare class Plans {
    #private;
    constructor(transport: Transport);
    /** Assign the orders of a plan to its drivers, all of them or none. */
    accept(planId: string, options?: Options): Promise<types.PlanDetailOut>;
    /** Cancel a queued or running plan. */
    cancel(planId: string, options?: Options): Promise<types.PlanDetailOut>;
    /** Request a plan. */
    create(body?: types.PlanIn, options?: Options): Promise<types.PlanDetailOut>;
    /** Retrieve a plan with its routes. */
    get(planId: string, options?: Options): Promise<types.PlanDetailOut>;
    /** List plans without their routes, sorted by `created_at`. */
    list(query?: PlansListQuery, options?: Options): Pages<types.PlanOut>;
    /** Draw the routes of a plan along streets, or as straight lines without a routing engine. */
    listLines(planId: string, options?: Options): Promise<Array<types.PlanLineOut>>;
    /** Preview an edit of a plan. */
    preview(planId: string, body?: types.PlanEditIn, options?: Options): Promise<types.PlanPreviewOut>;
    /** Give the orders of an accepted plan back to the drivers who had them before. */
    revert(planId: string, body?: types.RevertIn, options?: Options): Promise<types.PlanDetailOut>;
    /** Edit a plan that is done: move orders between drivers, and lock orders. */
    update(planId: string, body?: types.PlanEditIn, options?: Options): Promise<types.PlanDetailOut>;
}
