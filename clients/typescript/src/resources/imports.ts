// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface ImportsListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Filter by kind of records. */
  resource?: types.ImportResource | undefined;
  /** Any of these. */
  state?: "checked" | "checking" | "done" | "failed" | "importing" | "new" | "undoing" | "undone" | ReadonlyArray<"checked" | "checking" | "done" | "failed" | "importing" | "new" | "undoing" | "undone"> | undefined;
}

/** Parameters of `listRows`. */
export interface ImportsListRowsQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `number`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Any of these. */
  state?: "created" | "failed" | "kept" | "unchanged" | "undone" | ReadonlyArray<"created" | "failed" | "kept" | "unchanged" | "undone"> | undefined;
}

export class Imports {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Check every row without creating anything. */
  check(importId: string, options?: Options): Promise<types.ImportOut> {
    return this.#transport.call("POST", `/v1/imports/${segment(importId)}/dry-run`, { options });
  }

  /** Create an import of a file. */
  create(body: types.ImportIn, options?: Options): Promise<types.ImportOut> {
    return this.#transport.call("POST", "/v1/imports", { body, options });
  }

  /** Retrieve an import with its progress. */
  get(importId: string, options?: Options): Promise<types.ImportOut> {
    return this.#transport.call("GET", `/v1/imports/${segment(importId)}`, { options });
  }

  /** Download the faulty rows as CSV, with a column for the errors. */
  getFaultyRows(importId: string, options?: Options): Promise<Uint8Array> {
    return this.#transport.download(`/v1/imports/${segment(importId)}/faulty-rows`, { options });
  }

  /** List imports, sorted by `created_at`. */
  list(query: ImportsListQuery = {}, options?: Options): Pages<types.ImportOut> {
    return this.#transport.list("/v1/imports", query, options);
  }

  /** List the results of an import's rows, sorted by `number`. */
  listRows(
    importId: string,
    query: ImportsListRowsQuery = {},
    options?: Options,
  ): Pages<types.ImportedRowOut> {
    return this.#transport.list(`/v1/imports/${segment(importId)}/rows`, query, options);
  }

  /** Create the records of all rows without errors. */
  start(importId: string, options?: Options): Promise<types.ImportOut> {
    return this.#transport.call("POST", `/v1/imports/${segment(importId)}/start`, { options });
  }

  /** Delete the records that an import created, except those in use or changed since. */
  undo(importId: string, options?: Options): Promise<types.ImportOut> {
    return this.#transport.call("POST", `/v1/imports/${segment(importId)}/undo`, { options });
  }

  /** Change the mapping of an import that has not started. */
  update(
    importId: string,
    body: types.ImportChange = {},
    options?: Options,
  ): Promise<types.ImportOut> {
    return this.#transport.call("PATCH", `/v1/imports/${segment(importId)}`, { body, options });
  }
}
