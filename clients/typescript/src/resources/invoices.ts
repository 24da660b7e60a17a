// Written by clients/generator from the OpenAPI document. Run `make docs` instead.
import type { Pages } from "../pages.js";
import { type Options, segment } from "../requests.js";
import type { Transport } from "../transport.js";
import type * as types from "../types.js";

/** Parameters of `list`. */
export interface InvoicesListQuery {
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
  status?: types.InvoiceStatus | ReadonlyArray<types.InvoiceStatus> | undefined;
  /** Filter by kind. */
  kind?: types.InvoiceKind | undefined;
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
export interface InvoicesListAgeingQuery {
  /** Filter by customer. */
  customer?: string | undefined;
  /** ISO 4217. Required if the charges have several currencies. */
  currency?: string | undefined;
}

export class Invoices {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create a draft of what a customer was not invoiced for yet. */
  create(body: types.InvoiceIn, options?: Options): Promise<types.InvoiceDetailsOut> {
    return this.#transport.call("POST", "/v1/invoices", { body, options });
  }

  /** Issue a credit note that takes back an invoice, in full or in part. */
  createCreditNote(
    invoiceId: string,
    body: types.CreditNoteIn,
    options?: Options,
  ): Promise<types.InvoiceDetailsOut> {
    return this.#transport.call(
      "POST",
      `/v1/invoices/${segment(invoiceId)}/credit-note`,
      { body, options },
    );
  }

  /** Record money that was received for an invoice, in full or in part. */
  createPayment(
    invoiceId: string,
    body: types.PaymentIn,
    options?: Options,
  ): Promise<types.InvoiceDetailsOut> {
    return this.#transport.call(
      "POST",
      `/v1/invoices/${segment(invoiceId)}/payments`,
      { body, options },
    );
  }

  /** Delete a draft. */
  delete(invoiceId: string, options?: Options): Promise<types.RecordDeleted> {
    return this.#transport.call("DELETE", `/v1/invoices/${segment(invoiceId)}`, { options });
  }

  /** Download an invoice as PDF. */
  downloadPdf(invoiceId: string, options?: Options): Promise<Uint8Array> {
    return this.#transport.download(`/v1/invoices/${segment(invoiceId)}.pdf`, { options });
  }

  /** Download the structured form of an issued invoice: Factur-X (ZUGFeRD), profile EN 16931. */
  downloadXml(invoiceId: string, options?: Options): Promise<Uint8Array> {
    return this.#transport.download(`/v1/invoices/${segment(invoiceId)}.xml`, { options });
  }

  /** Retrieve an invoice with its lines. */
  get(invoiceId: string, options?: Options): Promise<types.InvoiceDetailsOut> {
    return this.#transport.call("GET", `/v1/invoices/${segment(invoiceId)}`, { options });
  }

  /** Issue a draft: it gets the next number and never changes again. */
  issue(invoiceId: string, options?: Options): Promise<types.InvoiceDetailsOut> {
    return this.#transport.call("POST", `/v1/invoices/${segment(invoiceId)}/issue`, { options });
  }

  /** List invoices. */
  list(query: InvoicesListQuery = {}, options?: Options): Pages<types.InvoiceOut> {
    return this.#transport.list("/v1/invoices", query, options);
  }

  /** List what customers still have to pay, by how long it is overdue. */
  listAgeing(
    query: InvoicesListAgeingQuery = {},
    options?: Options,
  ): Promise<Array<types.AgeingOut>> {
    return this.#transport.call("GET", "/v1/invoices/ageing", { query, options });
  }

  /** Gather the lines of a draft again. */
  refresh(invoiceId: string, options?: Options): Promise<types.InvoiceDetailsOut> {
    return this.#transport.call("POST", `/v1/invoices/${segment(invoiceId)}/refresh`, { options });
  }

  /** Email an issued invoice to the customer, with a link to its PDF. */
  send(
    invoiceId: string,
    body: types.InvoiceSendIn = {},
    options?: Options,
  ): Promise<types.MessageOut> {
    return this.#transport.call(
      "POST",
      `/v1/invoices/${segment(invoiceId)}/send`,
      { body, options },
    );
  }

  /** Update the texts and the due date of a draft. */
  update(
    invoiceId: string,
    body: types.InvoiceChange = {},
    options?: Options,
  ): Promise<types.InvoiceDetailsOut> {
    return this.#transport.call("PATCH", `/v1/invoices/${segment(invoiceId)}`, { body, options });
  }
}
