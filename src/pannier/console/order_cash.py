"""Cash on delivery on an order's page and in its forms."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from pannier.console import amounts
from pannier.console.api_client import ApiClient
from pannier.console.forms import Field, to_options
from pannier.console.session import FormData
from pannier.errors import FieldError as Offence
from pannier.errors import Invalid
from pannier.payloads.models import CodMethod

COLLECTIONS_PATH: Final = "/int/v1/cash/collections"
MAX_COLLECTIONS: Final = "100"
CURRENCY_NEEDED: Final = "Enter the currency of the cash, such as SGD."
AMOUNT: Final = Field(name="cod_amount", label="Cash on delivery", kind="money")
CURRENCY: Final = Field(name="cod_currency", label="Currency", placeholder="SGD")
METHOD: Final = Field(
    name="cod_payment_method", label="Method", kind="choice", options=to_options(CodMethod),
    placeholder="Any",
)  # fmt: skip
FIELDS: Final = (
    replace(AMOUNT, label="Amount for the whole order", help="Collected at the last drop-off."),
    CURRENCY,
    METHOD,
)


async def list_cash(client: ApiClient, order: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - JSON
    """List the cash that an order's stops collect, with the collection of each."""
    if not order["cash_to_collect"] and not order["payload"]["waypoints"]:
        due: list[tuple[str | None, str, Any]] = []
    elif order["payload"]["waypoints"]:
        due = [
            (stop["id"], f"Stop {number}", stop["cash_to_collect"])
            for number, stop in enumerate(order["payload"]["waypoints"], 1)
            if stop["cash_to_collect"]
        ]
    else:
        due = [(None, "Drop-off", order["cash_to_collect"])]
    rows = await client.list_rows(
        COLLECTIONS_PATH, {"order": order["id"], "limit": MAX_COLLECTIONS}
    )
    by_stop = {row["waypoint"]: row for row in rows.rows}
    shown = [
        {"where": where, "due": cash, "collection": by_stop.pop(stop, None)}
        for stop, where, cash in due
    ]
    # The cash of stops that no longer exist.
    return [
        *shown,
        *({"where": "Removed stop", "due": None, "collection": row} for row in by_stop.values()),
    ]


async def load_currency(client: ApiClient) -> str:
    """Load the currency that forms suggest: the company's."""
    return (await client.get("/int/v1/settings"))["currency"] or ""


def to_minor_amounts(form_data: FormData, fields: Iterable[Field]) -> FormData:
    """Convert a form's amounts to minor units of its currency, which all of them share."""
    money_fields = [field for field in fields if field.kind == "money"]
    if not any(form_data.get(field.name, "").strip() for field in money_fields):
        return form_data
    currency = form_data.get(CURRENCY.name, "").strip().upper()
    if not currency:
        raise Invalid(fields=[Offence(CURRENCY.name, CURRENCY_NEEDED)])
    return amounts.to_minor_amounts(form_data, money_fields, currency)


def add_currency(parts: Iterable[dict[str, Any]], currency: str) -> None:
    """Add the currency to each part that has an amount."""
    for part in parts:
        if part.get(AMOUNT.name) is not None:
            part[CURRENCY.name] = currency.strip().upper()


def sum_amounts(parts: Iterable[Mapping[str, Any]]) -> int:
    """Return the cash of all parts, in minor units."""
    return sum(part[AMOUNT.name] for part in parts if part.get(AMOUNT.name))
