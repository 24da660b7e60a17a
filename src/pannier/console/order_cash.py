"""Cash on delivery on an order's page and in its forms."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from pannier.console import amounts, formatting
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.forms import Field, Form, to_options
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
COLLECT_PATH: Final = "/int/v1/orders/{order_id}/collect-cash"
COLLECT_FORM: Final = Form(
    (
        Field(name="waypoint", label="Stop", kind="choice", nullable=False),
        Field(name="amount", label="Amount", kind="money", required=True),
        Field(name="method", label="Method", kind="choice", options=to_options(CodMethod),
              placeholder="As ordered"),
        Field(name="driver", label="Driver", kind="record", resource="drivers",
              help="Who has the cash. Defaults to the order's driver."),
        Field(name="reason", label="Reason",
              help="Required if the amount differs from the cash due."),
    )
)  # fmt: skip


def is_due(order: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether cash is still to be collected."""
    cash = order["cash_to_collect"]
    return cash is not None and not cash["collected"]


async def load_order_currency(client: ApiClient, path_params: Mapping[str, str]) -> str:
    """Load the currency of an order's cash."""
    order = await client.get("/v1/orders/{order_id}", order_id=path_params["order_id"])
    cash = order["cash_to_collect"]
    return "" if cash is None else str(cash["currency"])


COLLECT_ACTION: Final = Action(
    "collect-cash", "Record collection", "POST", COLLECT_PATH, "banknote", "Collection recorded.",
    form=COLLECT_FORM, condition=is_due, load_currency=load_order_currency,
)  # fmt: skip


def make_collect_fields(order: Any) -> list[Field]:  # noqa: ANN401 - JSON
    """Make the fields of the form: the stops that still collect cash, and the currency."""
    if not is_due(order):
        return list(COLLECT_FORM.fields)
    options = [
        (stop["id"], f"Stop {number}: {_describe_due(stop['cash_to_collect'])}")
        for number, stop in enumerate(order["payload"]["waypoints"], 1)
        if stop["cash_to_collect"] and not stop["cash_to_collect"]["collected"]
    ]
    cash = order["cash_to_collect"]
    due = "" if options else f"Due: {_describe_due(cash)}."
    fields: dict[str, dict[str, Any]] = {
        "waypoint": {
            "options": options,
            "required": True,
            "default": options[0][0] if options else "",
        },
        "amount": {"label": f"Amount in {cash['currency']}", "help": due},
    }
    return [
        replace(field, **fields.get(field.name, {}))
        for field in COLLECT_FORM.fields
        if options or field.name != "waypoint"
    ]


def _describe_due(cash: Any) -> str:  # noqa: ANN401 - JSON
    return formatting.format_money(cash["amount"], cash["currency"])


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


def find_currency(payload: Any) -> str:  # noqa: ANN401 - JSON
    """Return the currency that all cash of an order is in, or an empty text without cash."""
    parts = (payload, *payload["waypoints"], *payload["entities"])
    currencies = (part[CURRENCY.name] for part in parts if part[AMOUNT.name])
    return next(filter(None, currencies), "")


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
