"""Transactions: amounts due for orders, payments, voids and refunds."""

from collections.abc import Mapping
from typing import Any, Final

from msgspec.structs import replace

from pannier.console import columns, fields, formatting, lookup
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field, Form
from pannier.console.records import Records, read_query
from pannier.web.exchange import Exchange
from pannier.web.routes import get
from pannier.web.streams import StreamedResponse

RECORD_PATH: Final = "/int/v1/transactions/{transaction_id}"
QUOTE_PATH: Final = "/int/v1/service-quotes/{service_quote_id}"
STATUSES: Final = (
    ("unpaid", "Unpaid"), ("partially_paid", "Partially paid"), ("paid", "Paid"),
    ("partially_refunded", "Partially refunded"), ("refunded", "Refunded"), ("voided", "Voided"),
)  # fmt: skip
METHODS: Final = (
    ("transfer", "Bank transfer"), ("cash", "Cash"), ("check", "Check"),
    ("account", "Account"), ("other", "Other"),
)  # fmt: skip
REASON: Final = Field(name="reason", label="Reason", placeholder="Delivered late")
PAYMENT_FORM: Final = Form(
    (
        Field(name="amount", label="Amount", kind="money",
              help="Leave empty for the full amount owed."),
        Field(name="method", label="Method", kind="choice", options=METHODS, required=True,
              nullable=False, default="transfer"),
        Field(name="reference", label="Reference", placeholder="Receipt 2041",
              help="The number of a receipt, transfer or check."),
        Field(name="received_at", label="Received at", kind="moment",
              help="Leave empty for now."),
    )
)  # fmt: skip
REFUND_FORM: Final = Form(
    (
        Field(name="amount", label="Amount", kind="money",
              help="Leave empty for the full amount left to refund."),
        REASON,
    )
)  # fmt: skip


def is_owed(transaction: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether an amount is still owed."""
    return bool(transaction["balance"] > 0)


def can_void(transaction: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether nothing has been paid."""
    return bool(transaction["status"] == "unpaid")


def can_create_checkout(transaction: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether a payment page can be created: there is a gateway, and no page yet."""
    has_page = transaction["checkout_url"] is not None
    return is_owed(transaction) and transaction["gateway"] is not None and not has_page


def calculate_refundable_amount(transaction: Any) -> int:  # noqa: ANN401 - JSON
    """Return how much can still be refunded, in minor units."""
    pending_amount = sum(
        refund["amount"] for refund in transaction["refunds"] if refund["status"] == "pending"
    )
    return int(transaction["amount_paid"] - transaction["amount_refunded"] - pending_amount)


def can_refund(transaction: Any) -> bool:  # noqa: ANN401 - JSON
    return calculate_refundable_amount(transaction) > 0


async def load_currency(client: ApiClient, path_params: Mapping[str, str]) -> str:
    """Load the currency of the transaction in a path."""
    transaction = await client.get(RECORD_PATH, transaction_id=path_params["transaction_id"])
    return str(transaction["currency"])


def name_amount_field(form: Form, currency: str, help_text: str = "") -> list[Field]:
    """Return the fields of a form whose amount names its currency."""
    return [
        replace(field, label=f"Amount in {currency}", help=help_text or field.help)
        if field.name == "amount" and currency
        else field
        for field in form.fields
    ]


def make_action_fields(transaction: Any) -> dict[str, list[Field]]:  # noqa: ANN401 - JSON
    """Make the fields of the forms about money, with the amounts they default to."""
    currency = transaction["currency"]
    owed = formatting.format_money(transaction["balance"], currency)
    refundable = formatting.format_money(calculate_refundable_amount(transaction), currency)
    return {
        "payment": name_amount_field(
            PAYMENT_FORM, currency, f"Leave empty for the full amount owed: {owed}."
        ),
        "refund": name_amount_field(
            REFUND_FORM, currency, f"Leave empty for the full amount left to refund: {refundable}."
        ),
    }


async def load_related(client: ApiClient, transaction: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load the quote, and the fields of the forms."""
    quote = transaction["service_quote"]
    return {
        "action_fields": make_action_fields(transaction),
        "quote": await client.get(QUOTE_PATH, service_quote_id=quote) if quote else None,
    }


class Transactions(Records):
    """The pages of transactions. The name of a transaction is its amount."""

    def record_name(self, record: Any) -> str:  # noqa: ANN401 - JSON
        return formatting.format_money(record["amount"], record["currency"])


TRANSACTIONS: Final = Transactions(
    "/int/v1/transactions",
    columns=(
        Column("Transaction", "id", "title"),
        columns.STATUS,
        columns.AMOUNT,
        Column("Paid", "amount_paid", "money", to="currency", wide=True),
        Column("Refunded", "amount_refunded", "money", to="currency", wide=True),
        Column("Balance", "balance", "money", to="currency"),
        columns.ORDER,
        Column("Customer", "customer", "link", to="contacts", wide=True),
        columns.CREATED._replace(wide=False),
    ),
    facts=(
        "status",
        Column("Order", "order", "link", to="orders", quiet=True),
        Column("Customer", "customer", "link", to="contacts", quiet=True),
        Column("Gateway", "gateway", quiet=True),
        Column("Payment page", "checkout_status", "standing", quiet=True),
        Column("Payment page error", "checkout_error", "mono", quiet=True),
        "created_at",
        Column("Paid", "paid_at", "time", quiet=True),
        Column("Voided", "voided_at", "time", quiet=True),
        Column("Void reason", "void_reason", quiet=True),
    ),
    filters=(
        fields.ORDER,
        fields.make_status_field(STATUSES),
        Field(name="customer", label="Customer", kind="record", resource="contacts vendors"),
        Field(name="balance", label="Balance", kind="choice",
              options=(("owed", "Amount due"), ("credit", "Credit"))),
    ),
    actions=(
        Action("checkout", "Create payment page", "POST", f"{RECORD_PATH}/checkout", "credit-card",
               "Payment page created.", form=Form(()), condition=can_create_checkout),
        Action("payment", "Record payment", "POST", f"{RECORD_PATH}/payments", "banknote",
               "Payment recorded.", form=PAYMENT_FORM, condition=is_owed,
               load_currency=load_currency, checks_version=True),
        Action("refund", "Refund", "POST", f"{RECORD_PATH}/refund", "undo-2",
               "Refund requested. See Refunds for its status.", danger=True, form=REFUND_FORM,
               question="Money that a gateway received goes back through it. Otherwise, return it "
                        "yourself: the refund is recorded only.",
               condition=can_refund, load_currency=load_currency, checks_version=True),
        Action("void", "Void", "POST", f"{RECORD_PATH}/void", "ban", "Transaction voided.",
               danger=True, question="The amount is no longer due. This cannot be undone.",
               form=Form((REASON,)), condition=can_void),
    ),
    load_related=load_related,
    deletable=False,
    live_events="order. transaction. charge.",
    record_template="transactions/record.html",
    list_template="transactions/list.html",
    is_exported=False,
    empty="No transactions yet. One is created when a quote is accepted.",
)  # fmt: skip


@get("/transactions/export")
async def export_transactions(exchange: Exchange) -> StreamedResponse:
    """Download all transactions that match the filters of the list, or their charges."""
    client = ApiClient(exchange)
    query = await lookup.resolve_filters(client, TRANSACTIONS.filters, read_query(exchange))
    names = ("content", *(field.name for field in TRANSACTIONS.filters))
    filters = {name: query.get(name) for name in names}
    stream: StreamedResponse = await client.get_response(f"{TRANSACTIONS.api}/export", filters)
    return stream


handlers: Final = [export_transactions, *TRANSACTIONS.make_handlers()]
