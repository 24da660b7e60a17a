import type { Pages } from "../../pages.js";
import { type Options } from "../../requests.js";
import type { Transport } from "../../transport.js";
import type * as types from "../../types.js";
/** Parameters of `export`. */
export interface InternalInvoicesExportQuery {
    /** Format of the file. */
    format?: "csv" | undefined;
    /** The rows: `invoices`, or the `lines` of these. */
    content?: "invoices" | "lines" | undefined;
    /** Filter by status. */
    status?: "credited" | "draft" | "issued" | "overdue" | "paid" | ReadonlyArray<"credited" | "draft" | "issued" | "overdue" | "paid"> | undefined;
    /** Filter by kind. */
    kind?: "credit_note" | "invoice" | undefined;
    /** Filter by customer. */
    customer?: string | undefined;
    /** ISO 4217. Required if the charges have several currencies. */
    currency?: string | undefined;
    /** Its number. */
    number?: string | undefined;
    /** RFC 3339, between the years 1970 and 2100. */
    since?: string | Date | undefined;
    /** RFC 3339, between the years 1970 and 2100. */
    until?: string | Date | undefined;
    /** The first day of issue. */
    issued_since?: string | undefined;
    /** The last day of issue. */
    issued_until?: string | undefined;
    /** The first due date. */
    due_since?: string | undefined;
    /** The last due date. */
    due_until?: string | undefined;
}
/** Parameters of `list`. */
export interface InternalInvoicesListQuery {
    /** Maximum number of results. */
    limit?: number | undefined;
    /** Field to sort by; prefix it with `-` for descending order. One of `created_at`. */
    sort?: string | undefined;
    /** Filter by status. */
    status?: "credited" | "draft" | "issued" | "overdue" | "paid" | ReadonlyArray<"credited" | "draft" | "issued" | "overdue" | "paid"> | undefined;
    /** Filter by kind. */
    kind?: "credit_note" | "invoice" | undefined;
    /** Filter by customer. */
    customer?: string | undefined;
    /** ISO 4217. Required if the charges have several currencies. */
    currency?: string | undefined;
    /** Its number. */
    number?: string | undefined;
    /** RFC 3339, between the years 1970 and 2100. */
    since?: string | Date | undefined;
    /** RFC 3339, between the years 1970 and 2100. */
    until?: string | Date | undefined;
    /** The first day of issue. */
    issued_since?: string | undefined;
    /** The last day of issue. */
    issued_until?: string | undefined;
    /** The first due date. */
    due_since?: string | undefined;
    /** The last due date. */
    due_until?: string | undefined;
}
/** Parameters of `listAgeing`. */
export interface InternalInvoicesListAgeingQuery {
    /** Filter by customer. */
    customer?: string | undefined;
    /** ISO 4217. Required if the charges have several currencies. */
    currency?: string | undefined;
}
export declare class InternalInvoices {
    #private;
    constructor(transport: Transport);
    /** Create a draft of what a customer was not invoiced for yet. */
    create(body: types.InvoiceIn, options?: Options): Promise<types.InvoiceDetailsOut>;
    /** Issue a credit note that takes back an invoice, in full or in part. */
    createCreditNote(invoiceId: string, body: types.CreditNoteIn, options?: Options): Promise<types.InvoiceDetailsOut>;
    /** Record money that was received for an invoice, in full or in part. */
    createPayment(invoiceId: string, body: types.PaymentIn, options?: Options): Promise<types.InvoiceDetailsOut>;
    /** Delete a draft. */
    delete(invoiceId: string, options?: Options): Promise<types.RecordDeleted>;
    /** Download an invoice as PDF. */
    downloadPdf(invoiceId: string, options?: Options): Promise<Uint8Array>;
    /** Download the structured form of an issued invoice: Factur-X (ZUGFeRD), profile EN 16931. */
    downloadXml(invoiceId: string, options?: Options): Promise<Uint8Array>;
    /** Download all invoices that match the filters as CSV, oldest first, or their lines. */
    export(query?: InternalInvoicesExportQuery, options?: Options): Promise<Uint8Array>;
    /** Retrieve an invoice with its lines. */
    get(invoiceId: string, options?: Options): Promise<types.InvoiceDetailsOut>;
    /** Issue a draft: it gets the next number and never changes again. */
    issue(invoiceId: string, options?: Options): Promise<types.InvoiceDetailsOut>;
    /** List invoices. */
    list(query?: InternalInvoicesListQuery, options?: Options): Pages<types.InvoiceOut>;
    /** List what customers still have to pay, by how long it is overdue. */
    listAgeing(query?: InternalInvoicesListAgeingQuery, options?: Options): Promise<Array<types.AgeingOut>>;
    /** Gather the lines of a draft again. */
    refresh(invoiceId: string, options?: Options): Promise<types.InvoiceDetailsOut>;
    /** Email an issued invoice to the customer, with a link to its PDF. */
    send(invoiceId: string, body?: types.InvoiceSendIn, options?: Options): Promise<types.MessageOut>;
    /** Update the texts and the due date of a draft. */
    update(invoiceId: string, body?: types.InvoiceChange, options?: Options): Promise<types.InvoiceDetailsOut>;
}
