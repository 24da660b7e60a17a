// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface InternalSessionsListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** List sessions that ended within the last 30 days, instead of active ones. */
  ended?: boolean | undefined;
}

export class InternalSessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Revoke one token. */
  delete(tokenId: string, options?: Options): Promise<types.SessionEnded> {
    return this.#transport.call("DELETE", `/int/v1/sessions/${segment(tokenId)}`, { options });
  }

  /** Revoke all tokens. */
  deleteAll(options?: Options): Promise<types.SessionEnded> {
    return this.#transport.call("DELETE", "/int/v1/sessions", { options });
  }

  /** List active or revoked tokens, newest first. */
  list(query: InternalSessionsListQuery = {}, options?: Options): Pages<types.SessionOut> {
    return this.#transport.list("/int/v1/sessions", query, options);
  }
}
