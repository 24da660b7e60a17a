"""The account of an order on its page: charges and credits, payments, and what needs attention."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from pannier.console import formatting
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.forms import Field, Form
from pannier.console.order_view import CLOSED_STATUSES
from pannier.console.screens.transactions import calculate_refundable_amount, name_amount_field
from pannier.errors import FieldError as Offence
from pannier.errors import Invalid

CHARGES_PATH: Final = "/int/v1/orders/{order_id}/charges"
SETTINGS_PATH: Final = "/int/v1/settings"
# Kinds whose amounts are credits. The API has them as negative amounts.
CREDIT_KINDS: Final = frozenset({"discount", "goodwill", "credit"})
OTHER_CREDIT: Final = "credit"
KINDS: Final = (
    ("waiting", "Waiting time"),
    ("redelivery", "Redelivery"),
    ("return", "Return"),
    ("surcharge", "Surcharge"),
    ("other", "Other charge"),
    ("discount", "Discount (credit)"),
    ("goodwill", "Goodwill (credit)"),
    (OTHER_CREDIT, "Other credit"),
)
SIGNED_AMOUNT: Final = "Enter the amount without a minus sign. The kind makes it a credit."


class ChargeForm(Form, frozen=True):
    """The form of a charge or credit. Its kind decides which of them it is."""

    def adapt_body(self, body: dict[str, Any]) -> dict[str, Any]:
        """Convert a credit to a negative amount."""
        amount, kind = body.get("amount"), body.get("kind")
        if isinstance(amount, int) and amount < 0:
            raise Invalid(fields=[Offence("amount", SIGNED_AMOUNT)])
        if kind == OTHER_CREDIT:
            body["kind"] = "other"
        if kind in CREDIT_KINDS and isinstance(amount, int):
            body["amount"] = -amount
        return body


CHARGE_FORM: Final = ChargeForm(
    (
        Field(name="kind", label="Kind", kind="choice", options=KINDS, required=True,
              nullable=False, default="waiting"),
        Field(name="amount", label="Amount", kind="money", required=True),
        Field(name="description", label="Description", required=True,
              placeholder="Waited 25 minutes at the dock",
              help="The customer sees it on the payment page and the invoice."),
        Field(name="tax_rate", label="Tax rate (%)", kind="decimal"),
        Field(name="reason", label="Reason", placeholder="Confirmed by the driver",
              help="For your own records."),
    )
)  # fmt: skip


async def load_currency(client: ApiClient, path_params: Mapping[str, str]) -> str:
    """Load the currency of an order's charges: the order's own, or the company's."""
    account = await client.get(CHARGES_PATH, order_id=path_params["order_id"])
    return str(account["currency"] or (await client.get(SETTINGS_PATH))["currency"] or "")


CHARGE_ACTION: Final = Action(
    "charge", "Add charge or credit", "POST", CHARGES_PATH, "plus", "Charge added.",
    form=CHARGE_FORM, load_currency=load_currency,
)  # fmt: skip


async def load_account(
    client: ApiClient,
    order: Any,  # noqa: ANN401 - JSON
) -> Mapping[str, Any]:
    """Load the template variables of an order's charges."""
    account = await client.get(CHARGES_PATH, order_id=order["id"])
    transactions = (await client.list_rows("/int/v1/transactions", {"order": order["id"]})).rows
    settings = await client.get(SETTINGS_PATH)
    return {
        "account": account,
        "transactions": transactions,
        "refundable": find_refundable_amount(order, account, transactions, settings),
        "priced_distance": find_outdated_distance(order, account),
        "action_fields": {CHARGE_ACTION.name: _make_charge_fields(account, settings)},
    }


def _make_charge_fields(account: Any, settings: Any) -> list[Field]:  # noqa: ANN401 - JSON
    """Make the fields of the form, with the currency and the tax that apply."""
    tax_text = "including" if settings["prices_include_tax"] else "without"
    rate = settings["tax_rate"]
    default_rate = formatting.format_number(float(rate)) if rate is not None else "None"
    fields = name_amount_field(
        CHARGE_FORM, account["currency"] or settings["currency"], f"The amount {tax_text} tax."
    )
    return [
        replace(field, placeholder=default_rate) if field.name == "tax_rate" else field
        for field in fields
    ]


def find_refundable_amount(
    order: Any,  # noqa: ANN401 - JSON
    account: Any,  # noqa: ANN401 - JSON
    transactions: Iterable[Any],
    settings: Any,  # noqa: ANN401 - JSON
) -> int:
    """Return what was paid for a canceled order and waits for a refund, in minor units.

    Payments beyond the cancellation fee are a credit. By the setting `manual`, payments stay until
    somebody decides.
    """
    if order["status"] != "canceled":
        return 0
    refundable_amount = sum(
        calculate_refundable_amount(transaction)
        for transaction in transactions
        if transaction["currency"] == account["currency"]
    )
    if account["balance"] < 0:
        return int(min(-account["balance"], refundable_amount))
    is_manual = settings["cancellation_refund"] == "manual" and order["undelivered"] is None
    return int(refundable_amount) if is_manual else 0


def find_outdated_distance(order: Any, account: Any) -> int | None:  # noqa: ANN401 - JSON
    """Return the metres that the accepted price is for, if an open order's own differ visibly."""
    priced_distance: int | None = account["priced_distance"]
    if order["status"] in CLOSED_STATUSES or order["price_status"] != "accepted":
        return None
    if priced_distance is None or order["distance"] is None:
        return None
    format_distance = formatting.format_distance
    is_same = format_distance(priced_distance) == format_distance(order["distance"])
    return None if is_same else priced_distance
