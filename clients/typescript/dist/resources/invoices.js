import { segment } from "../requests.js";
export class Invoices {
    #transport;
    constructor(transport) {
        this.#transport = transport;
    }
    /** Create a draft of what a customer was not invoiced for yet. */
    create(body, options) {
        return this.#transport.call("POST", "/v1/invoices", { body, options });
    }
    /** Issue a credit note that takes back an invoice, in full or in part. */
    createCreditNote(invoiceId, body, options) {
        return this.#transport.call("POST", `/v1/invoices/${segment(invoiceId)}/credit-note`, { body, options });
    }
    /** Record money that was received for an invoice, in full or in part. */
    createPayment(invoiceId, body, options) {
        return this.#transport.call("POST", `/v1/invoices/${segment(invoiceId)}/payments`, { body, options });
    }
    /** Delete a draft. */
    delete(invoiceId, options) {
        return this.#transport.call("DELETE", `/v1/invoices/${segment(invoiceId)}`, { options });
    }
    /** Download an invoice as PDF. */
    downloadPdf(invoiceId, options) {
        return this.#transport.download(`/v1/invoices/${segment(invoiceId)}.pdf`, { options });
    }
    /** Download the structured form of an issued invoice: Factur-X (ZUGFeRD), profile EN 16931. */
    downloadXml(invoiceId, options) {
        return this.#transport.download(`/v1/invoices/${segment(invoiceId)}.xml`, { options });
    }
    /** Retrieve an invoice with its lines. */
    get(invoiceId, options) {
        return this.#transport.call("GET", `/v1/invoices/${segment(invoiceId)}`, { options });
    }
    /** Issue a draft: it gets the next number and never changes again. */
    issue(invoiceId, options) {
        return this.#transport.call("POST", `/v1/invoices/${segment(invoiceId)}/issue`, { options });
    }
    /** List invoices. */
    list(query = {}, options) {
        return this.#transport.list("/v1/invoices", query, options);
    }
    /** List what customers still have to pay, by how long it is overdue. */
    listAgeing(query = {}, options) {
        return this.#transport.call("GET", "/v1/invoices/ageing", { query, options });
    }
    /** Gather the lines of a draft again. */
    refresh(invoiceId, options) {
        return this.#transport.call("POST", `/v1/invoices/${segment(invoiceId)}/refresh`, { options });
    }
    /** Email an issued invoice to the customer, with a link to its PDF. */
    send(invoiceId, body = {}, options) {
        return this.#transport.call("POST", `/v1/invoices/${segment(invoiceId)}/send`, { body, options });
    }
    /** Update the texts and the due date of a draft. */
    update(invoiceId, body = {}, options) {
        return this.#transport.call("PATCH", `/v1/invoices/${segment(invoiceId)}`, { body, options });
    }
}
