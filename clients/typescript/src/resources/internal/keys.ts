// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface InternalKeysListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Filter by kind. */
  kind?: types.KeyKind | undefined;
  /** Return only revoked keys; `false` returns active ones. */
  revoked?: boolean | undefined;
}

export class InternalKeys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create a key. */
  create(body: types.KeyIn, options?: Options): Promise<types.NewKeyOut> {
    return this.#transport.call("POST", "/int/v1/keys", { body, options });
  }

  /** Revoke a key. */
  delete(keyId: string, options?: Options): Promise<types.KeyOut> {
    return this.#transport.call("DELETE", `/int/v1/keys/${segment(keyId)}`, { options });
  }

  /** Retrieve a key. */
  get(keyId: string, options?: Options): Promise<types.KeyOut> {
    return this.#transport.call("GET", `/int/v1/keys/${segment(keyId)}`, { options });
  }

  /** List keys. */
  list(query: InternalKeysListQuery = {}, options?: Options): Pages<types.KeyOut> {
    return this.#transport.list("/int/v1/keys", query, options);
  }

  /** Replace a key. */
  rotate(keyId: string, body: types.KeyRotation = {}, options?: Options): Promise<types.NewKeyOut> {
    return this.#transport.call("POST", `/int/v1/keys/${segment(keyId)}/rotate`, { body, options });
  }

  /** Update a key. */
  update(keyId: string, body: types.KeyChange = {}, options?: Options): Promise<types.KeyOut> {
    return this.#transport.call("PATCH", `/int/v1/keys/${segment(keyId)}`, { body, options });
  }
}
