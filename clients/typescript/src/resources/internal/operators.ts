// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface InternalOperatorsListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /**
   * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`,
   * `email`.
   */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Filter by role. */
  role?: types.OperatorRole | undefined;
}

/** Parameters of `listTokens`. */
export interface InternalOperatorsListTokensQuery {
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

export class InternalOperators {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create an operator. */
  create(body: types.OperatorIn, options?: Options): Promise<types.OperatorOut> {
    return this.#transport.call("POST", "/int/v1/operators", { body, options });
  }

  /** Remove an operator. */
  delete(operatorId: string, options?: Options): Promise<Uint8Array> {
    return this.#transport.download(`/int/v1/operators/${segment(operatorId)}`, { options });
  }

  /** Revoke one token. */
  deleteToken(operatorId: string, tokenId: string, options?: Options): Promise<types.SessionEnded> {
    return this.#transport.call(
      "DELETE",
      `/int/v1/operators/${segment(operatorId)}/tokens/${segment(tokenId)}`,
      { options },
    );
  }

  /** Revoke all tokens. */
  deleteTokens(operatorId: string, options?: Options): Promise<types.SessionEnded> {
    return this.#transport.call(
      "DELETE",
      `/int/v1/operators/${segment(operatorId)}/tokens`,
      { options },
    );
  }

  /** Retrieve an operator. */
  get(operatorId: string, options?: Options): Promise<types.OperatorOut> {
    return this.#transport.call("GET", `/int/v1/operators/${segment(operatorId)}`, { options });
  }

  /** List operators. */
  list(query: InternalOperatorsListQuery = {}, options?: Options): Pages<types.OperatorOut> {
    return this.#transport.list("/int/v1/operators", query, options);
  }

  /** List active or revoked tokens, newest first. */
  listTokens(
    operatorId: string,
    query: InternalOperatorsListTokensQuery = {},
    options?: Options,
  ): Pages<types.SessionOut> {
    return this.#transport.list(`/int/v1/operators/${segment(operatorId)}/tokens`, query, options);
  }

  /** Update an operator's name, role or password, or disable the operator. */
  update(
    operatorId: string,
    body: types.OperatorChange = {},
    options?: Options,
  ): Promise<types.OperatorOut> {
    return this.#transport.call(
      "PATCH",
      `/int/v1/operators/${segment(operatorId)}`,
      { body, options },
    );
  }
}
