import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface IssuesListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /**
     * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `updated_at`,
     * `status`, `priority`.
     */
    sort?: string | undefined;
    /** Search words. */
    query?: string | undefined;
    /** Any of these. */
    status?: "awaiting_parts" | "awaiting_vendor" | "backlogged" | "canceled" | "closed" | "completed" | "duplicate" | "escalated" | "in_progress" | "in_review" | "monitoring" | "open" | "pending" | "pending_review" | "re_opened" | "requires_update" | "resolved" | "triage" | "wont_fix" | ReadonlyArray<"awaiting_parts" | "awaiting_vendor" | "backlogged" | "canceled" | "closed" | "completed" | "duplicate" | "escalated" | "in_progress" | "in_review" | "monitoring" | "open" | "pending" | "pending_review" | "re_opened" | "requires_update" | "resolved" | "triage" | "wont_fix"> | undefined;
    /** Whether it is resolved. */
    resolved?: boolean | undefined;
    /** Filter by priority. */
    priority?: "critical" | "high" | "low" | "medium" | "operational_suggestion" | "scheduled_maintenance" | undefined;
    /** Filter by type. */
    type?: string | undefined;
    /** Filter by category. */
    category?: string | undefined;
    /** About this order. */
    order?: string | undefined;
    /** Filter by tag. */
    tag?: string | undefined;
    /** About this driver. */
    driver?: string | undefined;
    /** About this vehicle. */
    vehicle?: string | undefined;
}
export declare class Issues {
    #private;
    constructor(transport: Transport);
    /** Report an issue. */
    create(body: types.IssueIn, options?: Options): Promise<types.IssueOut>;
    /** Add photos to an issue. */
    createPhoto(issueId: string, body?: types.IssuePhotosIn, options?: Options): Promise<Array<types.IssuePhotoOut>>;
    /** Report an issue together with its photos. */
    createWithPhotos(body: types.ReportIn, options?: Options): Promise<types.ReportedOut>;
    /** Delete an issue. */
    delete(issueId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Retrieve an issue. */
    get(issueId: string, options?: Options): Promise<types.IssueOut>;
    /** List the company's issues. */
    list(query?: IssuesListQuery, options?: Options): Pages<types.IssueOut>;
    /** List the photos of an issue with fresh links. */
    listPhotos(issueId: string, options?: Options): Promise<Array<types.IssuePhotoOut>>;
    /** Reopen a resolved issue. */
    reopen(issueId: string, options?: Options): Promise<types.IssueOut>;
    /** Resolve an issue. */
    resolve(issueId: string, body?: types.ResolveIn, options?: Options): Promise<types.IssueOut>;
    /** Update an issue. */
    update(issueId: string, body?: types.IssueChange, options?: Options): Promise<types.IssueOut>;
    /** Reopen a resolved issue. */
    updateReopen(issueId: string, options?: Options): Promise<types.IssueOut>;
    /** Resolve an issue. */
    updateResolve(issueId: string, body?: types.ResolveIn, options?: Options): Promise<types.IssueOut>;
}
