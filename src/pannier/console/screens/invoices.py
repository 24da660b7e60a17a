"""Invoices and credit notes: drafts, issued documents, their payments, and the ageing list."""

from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec
from litestar import Response

from pannier.console import formatting, invoice_view, responses, session
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient, ListPage
from pannier.console.columns import Column
from pannier.console.confirmation import Question
from pannier.console.forms import Field, Form, FormErrors
from pannier.console.lookup import resolve_filters, resolve_form
from pannier.console.record_names import load_labels
from pannier.console.records import Records, list_rows, load_zone, read_query
from pannier.console.screens.transactions import PAYMENT_FORM, name_amount_field
from pannier.errors import Forbidden, Problem
from pannier.files.downloads import Download
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.streams import StreamedResponse

API: Final = "/int/v1/invoices"
HOME: Final = "/console/invoices"
RECORD_PATH: Final = f"{API}/{{invoice_id}}"
SETTINGS_PATH: Final = "/int/v1/settings"
PDF_PATH: Final = f"{RECORD_PATH}.pdf"
XML_PATH: Final = f"{RECORD_PATH}.xml"
MAX_CREDIT_NOTES: Final = "100"
AGEING_PATH: Final = f"{API}/ageing"
# The API lists at most this many.
MAX_AGEING_ROWS: Final = 1000
# The lists' choice for all that is still to be paid.
OPEN: Final = "open"
STATUSES: Final = (
    ("draft", "Draft"), (OPEN, "Open"), ("overdue", "Overdue"), ("paid", "Paid"),
    ("credited", "Credited"),
)  # fmt: skip
KINDS: Final = (("invoice", "Invoice"), ("credit_note", "Credit note"))
TEXT_FIELDS: Final = (
    Field(name="reference", label="Customer's reference", placeholder="PO 4711"),
    Field(name="due_date", label="Due date", kind="day",
          help="Defaults to the customer's payment terms, from the day of issue."),
    Field(name="notes", label="Notes", kind="area", placeholder="Thank you for your business."),
)  # fmt: skip
CUSTOMER: Final = Field(
    name="customer", label="Customer", kind="record", resource="contacts vendors", required=True,
    nullable=False, help="Type a name, a phone number or an email address.",
)  # fmt: skip


class NewInvoiceForm(Form, frozen=True):
    """The form of a new draft. Without orders, it gathers the charges of all."""

    def adapt_body(self, body: dict[str, Any]) -> dict[str, Any]:
        """Leave out an empty list of orders."""
        return {name: value for name, value in body.items() if value != []}


NEW_FORM: Final = NewInvoiceForm(
    (
        CUSTOMER,
        Field(name="from", label="From", kind="day", help="Leave empty for all earlier charges."),
        Field(name="to", label="To", kind="day", help="Leave empty for all later charges."),
        Field(name="orders", label="Orders", kind="list", resource="orders",
              help="One number per line. Leave empty for all orders."),
        Field(name="currency", label="Currency", placeholder="SGD",
              help="Only if the charges have several currencies."),
        *TEXT_FIELDS,
    )
)  # fmt: skip
CREDIT_FORM: Final = Form(
    (
        Field(name="reason", label="Reason", required=True,
              placeholder="The wrong weight was invoiced."),
        Field(name="lines", label="Lines", kind="choices",
              help="Select none to credit all that is left."),
    )
)  # fmt: skip
SEND_FORM: Final = Form(
    (Field(name="to", label="Email", kind="email", help="Defaults to the customer's email."),)
)


def is_draft(invoice: Any) -> bool:  # noqa: ANN401 - JSON
    return bool(invoice["status"] == "draft")


def is_issued(invoice: Any) -> bool:  # noqa: ANN401 - JSON
    return not is_draft(invoice)


def is_owed(invoice: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether something is still to be paid."""
    return is_issued(invoice) and bool(invoice["open_amount"] > 0)


def can_credit(invoice: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether an invoice has anything left to credit."""
    is_invoice = is_issued(invoice) and invoice["kind"] == "invoice"
    return bool(is_invoice and invoice["credited_amount"] < invoice["amount"])


async def load_currency(client: ApiClient, path_params: Mapping[str, str]) -> str:
    """Load the currency of the invoice in a path."""
    invoice = await client.get(RECORD_PATH, invoice_id=path_params["invoice_id"])
    return str(invoice["currency"])


async def load_related(client: ApiClient, invoice: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load the names of the orders, and the fields of the forms."""
    orders = [line["order"] for line in invoice["lines"] if line["order"]]
    names = await load_labels(client, list(dict.fromkeys(orders)))
    return {
        "groups": invoice_view.group_lines(invoice["lines"], names),
        "more_lines": len(invoice["lines"]) - invoice_view.MAX_LINES,
        "action_fields": _make_action_fields(invoice),
        "is_emailed": is_draft(invoice)
        and bool(invoice["buyer"]["email"])
        and (await client.get(SETTINGS_PATH))["email_invoices"],
        "credit_notes": await _list_credit_notes(client, invoice),
        "original": await client.get(RECORD_PATH, invoice_id=invoice["refers_to"])
        if invoice["refers_to"]
        else None,
    }


async def _list_credit_notes(client: ApiClient, invoice: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """List the credit notes of an invoice, the oldest first."""
    if invoice["credited_amount"] == 0:
        return []
    query = {
        "customer": invoice["customer"], "kind": "credit_note", "limit": MAX_CREDIT_NOTES,
        "issued_since": invoice["issue_date"], "sort": "created_at",
    }  # fmt: skip
    notes = (await client.list_rows(API, query)).rows
    return [note for note in notes if note["refers_to"] == invoice["id"]]


def _make_action_fields(invoice: Any) -> dict[str, list[Field]]:  # noqa: ANN401 - JSON
    owed = formatting.format_money(invoice["open_amount"], invoice["currency"])
    lines = [
        (line["id"], invoice_view.describe_line(line, invoice["currency"]))
        for line in invoice["lines"][: invoice_view.MAX_LINES]
    ]
    return {
        "payments": name_amount_field(
            PAYMENT_FORM, invoice["currency"], f"Leave empty for the full amount open: {owed}."
        ),
        "credit-note": [
            msgspec.structs.replace(field, options=lines) if field.name == "lines" else field
            for field in CREDIT_FORM.fields
        ],
    }


class CreditNoteForm(Form, frozen=True):
    """The form of a credit note. Without selected lines, it credits the whole invoice."""

    def adapt_body(self, body: dict[str, Any]) -> dict[str, Any]:
        """Convert the selected lines to the API's format."""
        lines = body.pop("lines", [])
        return body | ({"lines": [{"line": line} for line in lines]} if lines else {})


def _select_fixed_filters(query: Mapping[str, str]) -> Mapping[str, Any]:
    """Return the API's filters for the choice `open`, which includes overdue invoices."""
    is_open = query.get("status") == OPEN
    return {"status": ["issued", "overdue"], "kind": "invoice"} if is_open else {}


class Invoices(Records):
    """The pages of invoices. The name of an invoice is its number."""

    def record_name(self, record: Any) -> str:  # noqa: ANN401 - JSON
        return invoice_view.name_invoice(record)

    async def list_rows(self, client: ApiClient, query: Mapping[str, str]) -> ListPage:
        """List a page of rows, with the query's filters and cursor."""
        return await list_rows(client, self.api, self.filters, query, _select_fixed_filters(query))


INVOICES: Final = Invoices(
    API,
    columns=(
        Column("Invoice", "number"),
        Column("Status", "status", "standing"),
        Column("Customer", "customer_name"),
        Column("Amount", "amount", "money", to="currency"),
        Column("Open", "open_amount", "money", to="currency"),
        Column("Issued", "issue_date"),
        Column("Due", "due_date"),
    ),
    filters=(
        Field(name="number", label="Number", placeholder="Number"),
        Field(name="status", label="Status", kind="choice", options=STATUSES),
        Field(name="kind", label="Kind", kind="choice", options=KINDS),
        Field(name="customer", label="Customer", kind="record", resource="contacts vendors"),
        Field(name="issued_since", label="Issued from", kind="day"),
        Field(name="issued_until", label="Issued to", kind="day"),
        Field(name="due_until", label="Due by", kind="day"),
    ),
    form=Form(TEXT_FIELDS),
    actions=(
        Action("refresh", "Refresh", "POST", f"{RECORD_PATH}/refresh", "refresh-cw",
               "Draft refreshed.", condition=is_draft, checks_version=True),
        Action("issue", "Issue", "POST", f"{RECORD_PATH}/issue", "circle-check", "Invoice issued.",
               condition=is_draft, checks_version=True, question=invoice_view.CONFIRM_ISSUE),
        Action("payments", "Record payment", "POST", f"{RECORD_PATH}/payments", "banknote",
               "Payment recorded.", form=PAYMENT_FORM, condition=is_owed,
               load_currency=load_currency),
        Action("send", "Send", "POST", f"{RECORD_PATH}/send", "mail",
               "Email queued.", form=SEND_FORM, condition=is_issued),
        Action("credit-note", "Issue credit note", "POST", f"{RECORD_PATH}/credit-note", "undo-2",
               "Credit note issued.", danger=True, form=CreditNoteForm(CREDIT_FORM.fields),
               condition=can_credit,
               question="A credit note is issued at once. It cannot be undone."),
    ),
    load_related=load_related,
    delete_question=Question("Delete this draft? Its charges can be invoiced again.", "Delete"),
    live_events="invoice. transaction.",
    record_template="invoices/invoice.html",
    list_template="invoices/list.html",
    is_exported=False,
    empty="No invoices yet. Create the first one from a customer's charges.",
)  # fmt: skip


@get("/invoices/new")
async def show_new_invoice(exchange: Exchange) -> Response[bytes]:
    """Show the form, filled from the page's query."""
    client = ApiClient(exchange)
    if not client.is_allowed("POST", API):
        raise Forbidden("This requires the billing role.")
    return await _render_new(client, session.FormData(exchange.query))


@post("/invoices/new", status_code=200)
async def create_invoice(exchange: Exchange) -> Response[bytes]:
    """Create a draft, or show what it would contain."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    if form_data.get("do") == "preview":
        return await _render_new(client, form_data)
    try:
        draft = await client.send("POST", API, await _make_body(client, form_data))
    except Problem as problem:
        await client.undo(problem)
        return await _render_new(client, form_data, problem)
    return responses.redirect_with_flash(
        exchange, f"{HOME}/{draft['id']}", message="Draft created. Check it, then issue it."
    )


async def _make_body(client: ApiClient, form_data: session.FormData) -> dict[str, Any]:
    resolved_data = await resolve_form(client, NEW_FORM.fields, form_data)
    return NEW_FORM.make_body(resolved_data, await load_zone(client))


async def _render_new(
    client: ApiClient, form_data: session.FormData, problem: Problem | None = None
) -> Response[bytes]:
    """Render the form, with what is not invoiced yet."""
    preview: Any = None
    reason = "Select a customer to see what is not invoiced yet."
    form_errors = FormErrors()
    if problem is not None:
        form_errors, reason = FormErrors.from_problem(problem, NEW_FORM), ""
    elif client.exchange.method == "POST" and form_data.get("customer", "").strip():
        try:
            preview = await client.preview("POST", API, await _make_body(client, form_data))
        except Problem as refusal:
            form_errors = FormErrors.from_problem(refusal, NEW_FORM)
            reason = refusal.detail if not refusal.fields else ""
            form_errors = form_errors if refusal.fields else FormErrors()
    orders = [line["order"] for line in preview["lines"] if line["order"]] if preview else []
    names = await load_labels(client, list(dict.fromkeys(orders)))
    return await responses.render_page(
        client, "invoices/new.html", title="New invoice", home=HOME, form=NEW_FORM,
        filled=NEW_FORM.refill(form_data), refusal=form_errors, preview=preview, reason=reason,
        groups=invoice_view.group_lines(preview["lines"], names) if preview else [],
        more_lines=len(preview["lines"]) - invoice_view.MAX_LINES if preview else 0,
        status=problem.status if problem else 200,
    )  # fmt: skip


@get("/invoices/export")
async def export_invoices(exchange: Exchange) -> StreamedResponse:
    """Download all invoices that match the filters of the list, or their lines."""
    client = ApiClient(exchange)
    query = await resolve_filters(client, INVOICES.filters, read_query(exchange))
    names = ("content", *(field.name for field in INVOICES.filters))
    filters = {**{name: query.get(name) for name in names}, **_select_fixed_filters(query)}
    stream: StreamedResponse = await client.get_response(f"{API}/export", filters)
    return stream


@get("/invoices/{identifier:str}/document.pdf")
async def download_invoice(exchange: Exchange, identifier: str) -> Download:
    """Download an invoice as PDF."""
    response = await ApiClient(exchange).get_response(PDF_PATH, invoice_id=identifier)
    return cast("Download", response)


@get("/invoices/{identifier:str}/document.xml")
async def download_structured_invoice(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Download the structured form of an invoice."""
    response = await ApiClient(exchange).get_response(XML_PATH, invoice_id=identifier)
    return cast("Response[bytes]", response)


@get("/invoices/ageing")
async def show_ageing(exchange: Exchange) -> Response[bytes]:
    """Show what customers still have to pay, by how long it is overdue."""
    client = ApiClient(exchange)
    query = read_query(exchange)
    rows = (await client.list_rows(AGEING_PATH, query)).rows
    return await responses.render_page(
        client, "invoices/ageing.html", title="Ageing", home=HOME, rows=rows,
        totals=invoice_view.sum_ageing(rows), periods=invoice_view.PERIODS,
        max_rows=MAX_AGEING_ROWS,
    )  # fmt: skip


handlers: Final = [
    show_new_invoice,
    create_invoice,
    download_invoice,
    download_structured_invoice,
    show_ageing,
    export_invoices,
    *INVOICES.make_handlers("list", "read", "edit", "delete", "act"),
]
