"""Transactions: amounts due for orders, payments, voids and refunds."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.console import columns, fields, formatting, lookup, responses, session
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field, Form
from pannier.console.records import Records, read_query
from pannier.errors import FieldError as Offence
from pannier.errors import Invalid
from pannier.kit import money
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.streams import StreamedResponse

RECORD_PATH: Final = "/int/v1/transactions/{transaction_id}"
QUOTE_PATH: Final = "/int/v1/service-quotes/{service_quote_id}"
STATUSES: Final = (
    ("unpaid", "Unpaid"), ("partially_paid", "Partially paid"), ("paid", "Paid"),
    ("partially_refunded", "Partially refunded"), ("refunded", "Refunded"), ("voided", "Voided"),
)  # fmt: skip
AMOUNT: Final = Field(name="amount", label="Amount", kind="money")
REASON: Final = Field(name="reason", label="Reason", placeholder="Delivered late")


def is_owed(transaction: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether an amount is still due."""
    return transaction["status"] in {"unpaid", "partially_paid"}


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


async def load_related(client: ApiClient, transaction: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Calculate the amounts that are left to pay and to refund, and load the quote."""
    amount_left = transaction["amount"] - transaction["amount_paid"] if is_owed(transaction) else 0
    quote = transaction["service_quote"]
    return {
        "left": amount_left,
        "refundable": calculate_refundable_amount(transaction),
        "quote": await client.get(QUOTE_PATH, service_quote_id=quote) if quote else None,
    }


class Transactions(Records):
    """The pages of transactions. The name of a transaction is its amount."""

    def record_name(self, record: Any) -> str:  # noqa: ANN401 - JSON
        return formatting.format_money(record["amount"], record["currency"])


TRANSACTIONS: Final = Transactions(
    "/int/v1/transactions",
    columns=(
        Column("Transaction", "id", "link"),
        columns.STATUS,
        columns.AMOUNT,
        Column("Paid", "amount_paid", "money", to="currency", wide=True),
        Column("Refunded", "amount_refunded", "money", to="currency", wide=True),
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
        Field(name="customer", label="Customer", kind="record", resource="contacts"),
    ),
    actions=(
        Action("checkout", "Create payment page", "POST", f"{RECORD_PATH}/checkout", "credit-card",
               "Payment page created.", form=Form(()), condition=can_create_checkout),
        Action("void", "Void", "POST", f"{RECORD_PATH}/void", "ban", "Transaction voided.",
               danger=True, question="The amount is no longer due. This cannot be undone.",
               form=Form((REASON,)), condition=is_owed),
    ),
    load_related=load_related,
    deletable=False,
    live_events="order. transaction. charge.",
    record_template="transactions/record.html",
    list_template="transactions/list.html",
    empty="No transactions yet. One is created when a quote is accepted.",
)  # fmt: skip


@post("/transactions/{identifier:str}/refund", status_code=200)
async def request_refund(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Refund a payment, in full or in part."""
    client = ApiClient(exchange)
    form_data = await lookup.resolve_form(client, [AMOUNT], session.read_form(exchange))
    transaction = await client.get(RECORD_PATH, transaction_id=identifier)
    body: dict[str, Any] = {"reason": form_data.get("reason", "").strip() or None}
    if text := form_data.get("amount", "").strip():
        try:
            body["amount"] = money.from_decimal(text, transaction["currency"]).amount
        except ValueError as error:
            raise Invalid(fields=[Offence("amount", str(error))]) from None
    await client.send(
        "POST",
        f"{RECORD_PATH}/refund",
        body,
        transaction_id=identifier,
        version=form_data.get("version"),
    )
    message = "Refund requested. See Refunds for its status."
    return responses.redirect_with_flash(
        exchange, TRANSACTIONS.record_url(identifier), message=message
    )


@get("/transactions/export")
async def export_transactions(exchange: Exchange) -> StreamedResponse:
    """Download all transactions that match the filters of the list, or their charges."""
    client = ApiClient(exchange)
    query = await lookup.resolve_filters(client, TRANSACTIONS.filters, read_query(exchange))
    names = ("content", *(field.name for field in TRANSACTIONS.filters))
    filters = {name: query.get(name) for name in names}
    stream: StreamedResponse = await client.get_response(f"{TRANSACTIONS.api}/export", filters)
    return stream


handlers: Final = [export_transactions, *TRANSACTIONS.make_handlers(), request_refund]
