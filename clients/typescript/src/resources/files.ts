// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface FilesListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /**
   * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`, `size`.
   */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Part of the name, in any case. */
  name?: string | undefined;
  /** Filter by content type. */
  content_type?: string | undefined;
}

export class Files {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Upload a file, as a form or as JSON. */
  create(body: types.FileIn, options?: Options): Promise<types.FileOut> {
    return this.#transport.call("POST", "/v1/files", { body, options });
  }

  /** Delete a file; its links stop working immediately. */
  delete(fileId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/v1/files/${segment(fileId)}`, { options });
  }

  /** Retrieve a file's metadata, with a new link to its content. */
  get(fileId: string, options?: Options): Promise<types.FileOut> {
    return this.#transport.call("GET", `/v1/files/${segment(fileId)}`, { options });
  }

  /** List the company's files. */
  list(query: FilesListQuery = {}, options?: Options): Pages<types.FileOut> {
    return this.#transport.list("/v1/files", query, options);
  }
}
