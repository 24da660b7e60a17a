// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `export`. */
export interface InternalAuditExportQuery {
  /** Filter by format. */
  format?: "csv" | "ndjson" | undefined;
  /** Filter by action. */
  action?: string | undefined;
  /** Filter by actor. */
  actor?: string | undefined;
  /** Subject, by UUID or public id. */
  subject?: string | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  since?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  until?: string | Date | undefined;
}

/** Parameters of `list`. */
export interface InternalAuditListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Filter by action. */
  action?: string | undefined;
  /** Filter by actor. */
  actor?: string | undefined;
  /** Subject, by UUID or public id. */
  subject?: string | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  since?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  until?: string | Date | undefined;
}

export class InternalAudit {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Download all entries of the audit log that match the filters, oldest first. */
  export(query: InternalAuditExportQuery = {}, options?: Options): Promise<Uint8Array> {
    return this.#transport.download("/int/v1/audit/export", { query, options });
  }

  /** Retrieve an audit log entry, with the values before and after the change. */
  get(auditId: string, options?: Options): Promise<types.AuditOut> {
    return this.#transport.call("GET", `/int/v1/audit/${segment(auditId)}`, { options });
  }

  /** List changes and who made them. */
  list(query: InternalAuditListQuery = {}, options?: Options): Pages<types.AuditOut> {
    return this.#transport.list("/int/v1/audit", query, options);
  }
}
