// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
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
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Search words. */
  query?: string | undefined;
  /** Any of these. */
  status?: types.IssueStatus | ReadonlyArray<types.IssueStatus> | undefined;
  /** Whether it is resolved. */
  resolved?: boolean | undefined;
  /** Filter by priority. */
  priority?: types.IssuePriority | undefined;
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

export class Issues {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Report an issue. */
  create(body: types.IssueIn, options?: Options): Promise<types.IssueOut> {
    return this.#transport.call("POST", "/v1/issues", { body, options });
  }

  /** Add photos to an issue. */
  createPhoto(
    issueId: string,
    body: types.IssuePhotosIn = {},
    options?: Options,
  ): Promise<Array<types.IssuePhotoOut>> {
    return this.#transport.call("POST", `/v1/issues/${segment(issueId)}/photos`, { body, options });
  }

  /** Report an issue together with its photos. */
  createWithPhotos(body: types.ReportIn, options?: Options): Promise<types.ReportedOut> {
    return this.#transport.call("POST", "/v1/issues/with-photos", { body, options });
  }

  /** Delete an issue. */
  delete(issueId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/v1/issues/${segment(issueId)}`, { options });
  }

  /** Retrieve an issue. */
  get(issueId: string, options?: Options): Promise<types.IssueOut> {
    return this.#transport.call("GET", `/v1/issues/${segment(issueId)}`, { options });
  }

  /** List the company's issues. */
  list(query: IssuesListQuery = {}, options?: Options): Pages<types.IssueOut> {
    return this.#transport.list("/v1/issues", query, options);
  }

  /** List the photos of an issue with fresh links. */
  listPhotos(issueId: string, options?: Options): Promise<Array<types.IssuePhotoOut>> {
    return this.#transport.call("GET", `/v1/issues/${segment(issueId)}/photos`, { options });
  }

  /** Reopen a resolved issue. */
  reopen(issueId: string, options?: Options): Promise<types.IssueOut> {
    return this.#transport.call("POST", `/v1/issues/${segment(issueId)}/reopen`, { options });
  }

  /** Resolve an issue. */
  resolve(issueId: string, body: types.ResolveIn = {}, options?: Options): Promise<types.IssueOut> {
    return this.#transport.call(
      "POST",
      `/v1/issues/${segment(issueId)}/resolve`,
      { body, options },
    );
  }

  /** Update an issue. */
  update(
    issueId: string,
    body: types.IssueChange = {},
    options?: Options,
  ): Promise<types.IssueOut> {
    return this.#transport.call("PATCH", `/v1/issues/${segment(issueId)}`, { body, options });
  }
}
