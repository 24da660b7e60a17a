// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../../pages.js";
import { type Options, segment } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";

/** Parameters of `export`. */
export interface InternalTransactionsExportQuery {
  /** Format of the file. */
  format?: "csv" | undefined;
  /** The rows: `transactions`, or the `charges` of these. */
  content?: "charges" | "transactions" | undefined;
  /** Filter by status. */
  status?: types.TransactionStatus | ReadonlyArray<types.TransactionStatus> | undefined;
  /** Filter by order. */
  order?: string | undefined;
  /** Filter by customer. */
  customer?: string | undefined;
  /** Filter by quote. */
  service_quote?: string | undefined;
  /** `owed`: something is due; `credit`: a credit. */
  balance?: types.BalanceKind | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  since?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  until?: string | Date | undefined;
}

/** Parameters of `list`. */
export interface InternalTransactionsListQuery {
  /** Maximum number of results. */
  limit?: number | undefined;
  /**
   * Field to sort by; prefix it with `-` for descending order. One of `created_at`, `updated_at`.
   */
  sort?: string | undefined;
  /** Return only those created at or after this time. */
  created_since?: string | Date | undefined;
  /** Return only those created or changed at or after this time. */
  updated_since?: string | Date | undefined;
  /** Filter by status. */
  status?: types.TransactionStatus | ReadonlyArray<types.TransactionStatus> | undefined;
  /** Filter by order. */
  order?: string | undefined;
  /** Filter by customer. */
  customer?: string | undefined;
  /** Filter by quote. */
  service_quote?: string | undefined;
  /** `owed`: something is due; `credit`: a credit. */
  balance?: types.BalanceKind | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  since?: string | Date | undefined;
  /** RFC 3339, between the years 1970 and 2100. */
  until?: string | Date | undefined;
}

export class InternalTransactions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Get or create the checkout page of a transaction. */
  checkout(
    transactionId: string,
    body: types.CheckoutIn = {},
    options?: Options,
  ): Promise<types.TransactionOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/transactions/${segment(transactionId)}/checkout`,
      { body, options },
    );
  }

  /** Record money that was received outside a gateway, in full or in part. */
  createPayment(
    transactionId: string,
    body: types.PaymentIn,
    options?: Options,
  ): Promise<types.TransactionOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/transactions/${segment(transactionId)}/payments`,
      { body, options },
    );
  }

  /** Download all transactions that match the filters as CSV, oldest first, or their charges. */
  export(query: InternalTransactionsExportQuery = {}, options?: Options): Promise<Uint8Array> {
    return this.#transport.download("/int/v1/transactions/export", { query, options });
  }

  /** Retrieve a transaction. */
  get(transactionId: string, options?: Options): Promise<types.TransactionOut> {
    return this.#transport.call(
      "GET",
      `/int/v1/transactions/${segment(transactionId)}`,
      { options },
    );
  }

  /** Retrieve the name and address of an erased payer, kept until everything is settled. */
  getBillingIdentity(transactionId: string, options?: Options): Promise<types.BillingIdentityOut> {
    return this.#transport.call(
      "GET",
      `/int/v1/transactions/${segment(transactionId)}/billing-identity`,
      { options },
    );
  }

  /** List transactions. */
  list(query: InternalTransactionsListQuery = {}, options?: Options): Pages<types.TransactionOut> {
    return this.#transport.list("/int/v1/transactions", query, options);
  }

  /** Refund a transaction in full or in part. */
  refund(
    transactionId: string,
    body: types.RefundIn = {},
    options?: Options,
  ): Promise<types.TransactionOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/transactions/${segment(transactionId)}/refund`,
      { body, options },
    );
  }

  /** Void an unpaid transaction, and close its checkout page. */
  void(
    transactionId: string,
    body: types.VoidIn = {},
    options?: Options,
  ): Promise<types.TransactionOut> {
    return this.#transport.call(
      "POST",
      `/int/v1/transactions/${segment(transactionId)}/void`,
      { body, options },
    );
  }
}
