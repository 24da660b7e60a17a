import type { Pages } from "../pages.js";
import { type Options } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";
/** Parameters of `list`. */
export interface TransactionsListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** Filter by status. */
    status?: "paid" | "partially_paid" | "partially_refunded" | "refunded" | "unpaid" | "voided" | ReadonlyArray<"paid" | "partially_paid" | "partially_refunded" | "refunded" | "unpaid" | "voided"> | undefined;
    /** Filter by order. */
    order?: string | undefined;
    /** Filter by customer. */
    customer?: string | undefined;
    /** Filter by quote. */
    service_quote?: string | undefined;
    /** `owed`: something is due; `credit`: a credit. */
    balance?: "credit" | "owed" | undefined;
    /** RFC 3339, between the years 1970 and 2100. */
    since?: string | Date | undefined;
    /** RFC 3339, between the years 1970 and 2100. */
    until?: string | Date | undefined;
}
export declare class Transactions {
    #private;
    constructor(transport: Transport);
    /** Get or create the checkout page of a transaction. */
    checkout(transactionId: string, body?: types.CheckoutIn, options?: Options): Promise<types.TransactionOut>;
    /** Record money that was received outside a gateway, in full or in part. */
    createPayment(transactionId: string, body: types.PaymentIn, options?: Options): Promise<types.TransactionOut>;
    /** Retrieve a transaction. */
    get(transactionId: string, options?: Options): Promise<types.TransactionOut>;
    /** List transactions. */
    list(query?: TransactionsListQuery, options?: Options): Pages<types.TransactionOut>;
    /** Refund a transaction in full or in part. */
    refund(transactionId: string, body?: types.RefundIn, options?: Options): Promise<types.TransactionOut>;
}
