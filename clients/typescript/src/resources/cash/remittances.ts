// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `list`. */
export interface CashRemittancesListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** A contact or vendor, by its identifier. */
  customer?: string | undefined;
  /** ISO 4217, three letters. */
  currency?: string | undefined;
}

export class CashRemittances {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Remit a merchant's cash that drivers have handed in since the last remittance. */
  create(body: types.RemittanceIn, options?: Options): Promise<types.RemittanceOut> {
    return this.#transport.call("POST", "/v1/cash/remittances", { body, options });
  }

  /** Retrieve a cash remittance. */
  get(cashRemittanceId: string, options?: Options): Promise<types.RemittanceOut> {
    return this.#transport.call(
      "GET",
      `/v1/cash/remittances/${segment(cashRemittanceId)}`,
      { options },
    );
  }

  /** List cash/remittances. */
  list(query: CashRemittancesListQuery = {}, options?: Options): Pages<types.RemittanceOut> {
    return this.#transport.list("/v1/cash/remittances", query, options);
  }
}
