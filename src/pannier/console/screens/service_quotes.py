"""Quotes: prices of a shipment by all rates, and their acceptance."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from litestar import Response

from pannier.console import (
    columns,
    confirmation,
    fields,
    lookup,
    order_view,
    responses,
    session,
    shipments,
)
from pannier.console.amounts import to_minor_amounts
from pannier.console.api_client import ApiClient, ListPage
from pannier.console.columns import Column
from pannier.console.field_rows import to_form_data
from pannier.console.forms import MATCH_SUFFIX, PICKED_SUFFIX, Field, Form
from pannier.console.records import PAGE_SIZE, Records, load_zone, read_query
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

API: Final = "/int/v1/service-quotes"
RECORD_PATH: Final = f"{API}/{{service_quote_id}}"
ACCEPT: Final = f"{RECORD_PATH}/accept"
PREVIEW: Final = f"{API}/preview"
ORDER_QUOTES: Final = "/int/v1/orders/{order_id}/service-quotes"
STATES: Final = (("open", "Open"), ("accepted", "Accepted"), ("replaced", "Replaced"))
# Statuses of quotes that can still be accepted, expired or were accepted.
CURRENT_STATUSES: Final = frozenset({"open", "expired", "accepted"})
SHIPMENT: Final = Form(
    (
        *shipments.FIELDS,
        Field(name="service_type", label="Service code", placeholder="express"),
        Field(name="currency", label="Currency", placeholder="SGD"),
        Field(name="facilitator", label="Vendor", kind="record", resource="vendors contacts",
              placeholder="Type to search"),
    )
)  # fmt: skip
_STOP: Final = re.compile(rf"stops\[\d+\]({PICKED_SUFFIX}|{MATCH_SUFFIX})?")


class ShipmentInput(NamedTuple):
    """The submitted values, and a field for each stop between pickup and drop-off."""

    values: Mapping[str, str]
    stops: Sequence[Field]

    @classmethod
    def from_values(cls, values: Mapping[str, str]) -> "ShipmentInput":
        """Drop empty stops and renumber the others."""
        renumbered_values = {
            name: text for name, text in values.items() if not _STOP.fullmatch(name)
        }
        names = [
            name
            for name in values
            if _STOP.fullmatch(name) and name.endswith("]") and values[name].strip()
        ]
        stops = [make_stop_field(number) for number in range(len(names))]
        for name, stop in zip(names, stops, strict=True):
            renumbered_values[stop.name] = values[name]
            for suffix in (PICKED_SUFFIX, MATCH_SUFFIX):
                renumbered_values[stop.name + suffix] = values.get(name + suffix, "")
        return cls(renumbered_values, stops)


def make_stop_field(number: int) -> Field:
    """Make the field of a stop between pickup and drop-off."""
    return Field(
        name=f"stops[{number}]",
        label="Stop",
        kind="record",
        resource="places",
        addresses="whole",
        placeholder=shipments.PLACE_PLACEHOLDER,
    )


def make_labels(stop_count: int) -> dict[str, str]:
    """Map the form's and the API's names of fields to their labels."""
    stops = {
        f"{name}[{number}]": f"Stop {number + 1}"
        for name in ("stops", "waypoints")
        for number in range(stop_count)
    }
    return {**shipments.LABELS, **stops}


class Offers(NamedTuple):
    """Quotes to choose from, and the reasons why other rates do not apply."""

    tiers: Sequence[Any] = ()
    rejected: Sequence[Any] = ()
    ends: Sequence[str] = ()
    errors: Sequence[str] = ()


class Quotes(Records):
    """Quotes of all orders, or of the order in the query."""

    async def list_rows(self, client: ApiClient, query: Mapping[str, str]) -> ListPage:
        if not query.get("order"):
            return await super().list_rows(client, query)
        names = ("state", "cursor", "sort")
        filter_values = {name: query[name] for name in names if query.get(name)}
        return await client.list_rows(
            ORDER_QUOTES, {"limit": str(PAGE_SIZE), **filter_values}, order_id=query["order"]
        )


async def load_related(client: ApiClient, quote: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load the other quotes of the order, and the reasons why other rates do not apply."""
    if quote["order"] is None:
        return {
            "order": None,
            "offers": Offers([quote]),
            "replaced_quotes": [],
            "transaction": await _find_transaction(client, [quote]),
            "is_settled": False,
        }
    order = await client.get("/v1/orders/{order_id}", order_id=quote["order"])
    rows = (await client.list_rows(ORDER_QUOTES, {"limit": "100"}, order_id=quote["order"])).rows
    tiers = sorted(
        (row for row in rows if row["status"] in CURRENT_STATUSES),
        key=lambda row: (row["currency"], int(row["amount"])),
    )
    transaction = await _find_transaction(client, tiers)
    is_closed = order["status"] in {"completed", "canceled"}
    return {
        "order": order,
        "offers": Offers(tiers, await _list_rejected_rates(client, order)),
        "replaced_quotes": [row for row in rows if row["status"] == "replaced"],
        "transaction": transaction,
        "is_settled": is_closed or (transaction is not None and transaction["status"] != "voided"),
    }


async def _find_transaction(client: ApiClient, tiers: Sequence[Any]) -> Any:  # noqa: ANN401 - JSON
    """Find the transaction of the accepted quote."""
    transactions = [row["transaction"] for row in tiers if row["transaction"]]
    if not transactions:
        return None
    return await client.get("/int/v1/transactions/{transaction_id}", transaction_id=transactions[0])


async def _list_rejected_rates(client: ApiClient, order: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """List the rates that do not apply to an order, with reasons."""
    query = {"payload": order["payload"]["id"], "explain": "true",
              "distance": order["distance"], "time": order["time"]}  # fmt: skip
    try:
        rejected_rates: list[Any] = (await client.get(PREVIEW, query))["rejected"]
    except Problem:
        # The route is still unknown, so no rate applies.
        return []
    return rejected_rates


QUOTES: Final = Quotes(
    API,
    noun="quote",
    name="service_quote_id",
    title_path="service_name",
    columns=(
        Column("Service rate", "service_name", "link"),
        columns.AMOUNT,
        columns.STATUS,
        columns.ORDER,
        Column("Distance", "distance", "distance", wide=True),
        Column("Transaction", "transaction", "link", to="transactions", wide=True),
        Column("Expires", "expired_at", "time"),
        columns.CREATED,
    ),
    filters=(
        fields.ORDER,
        Field(name="state", label="Status", kind="choice", options=STATES),
    ),
    list_template="service-quotes/list.html",
    record_template="service-quotes/quote.html",
    load_related=load_related,
    deletable=False,
    live_events="order.",
    empty="No quotes yet. Every new order is priced by all service rates that apply.",
)


async def load_offers(client: ApiClient, shipment_input: ShipmentInput) -> Offers:
    """Price a shipment by every rate. The result has the quotes or the errors."""
    values, stops = shipment_input
    if not (values.get("pickup") or values.get("dropoff") or stops):
        return Offers()
    settings = await client.get("/int/v1/settings")
    currency = (values.get("currency") or settings["currency"] or "").upper()
    form_data = to_form_data(values, ())
    try:
        form_data = await lookup.resolve_form(client, (*SHIPMENT.fields, *stops), form_data)
        zone = await load_zone(client)
        body = SHIPMENT.make_body(to_minor_amounts(form_data, SHIPMENT.fields, currency), zone)
        shipment = shipments.to_body(body)
        if stops:
            shipment["waypoints"] = [stop.parse(form_data, zone) for stop in stops]
        if "entities" in shipment:
            shipment["entities"] = msgspec.json.encode(shipment["entities"]).decode()
        preview = await client.get(PREVIEW, {**shipment, "explain": "true"})
    except Problem as problem:
        return Offers(errors=shipments.list_messages(problem, make_labels(len(stops))))
    endpoint_names = await shipments.load_endpoint_names(client, shipment)
    return Offers(preview["quotes"], preview["rejected"], endpoint_names)


@get("/service-quotes/new")
async def show_new_quote(exchange: Exchange) -> Response[bytes]:
    """Price a shipment without an order."""
    client, query = ApiClient(exchange), read_query(exchange)
    shipment_input = ShipmentInput.from_values(query or await shipments.load_example(client))
    stops = list(shipment_input.stops)
    if "add_stop" in query:
        stops.append(make_stop_field(len(stops)))
    return await responses.render_page(
        client, "service-quotes/new.html", title="New quote", records=QUOTES,
        filled=shipment_input.values, shipment=SHIPMENT, stops=stops,
        offers=await load_offers(client, shipment_input),
    )  # fmt: skip


@post("/service-quotes/accept", status_code=200)
async def accept_quote(exchange: Exchange) -> Response[bytes]:
    """Accept a quote, and redirect to its transaction."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    confirmation.require_confirmation(exchange, order_view.CONFIRM_ACCEPT, "Accept")
    accept_data = {name: form_data[name] for name in ("order", "customer") if form_data.get(name)}
    transaction = await client.send(
        "POST", ACCEPT, accept_data, service_quote_id=form_data.get("quote") or "none"
    )
    message = "Quote accepted."
    message += " It can be paid on the payment page." if transaction["checkout_url"] else ""
    return responses.redirect_with_flash(
        exchange, f"/console/transactions/{transaction['id']}", message=message
    )


@post("/service-quotes/{identifier:str}/renew", status_code=200)
async def renew_quote(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Price the quote's order again, and redirect to the quote that replaces this one."""
    client = ApiClient(exchange)
    quote = await client.get(RECORD_PATH, service_quote_id=identifier)
    quotes = await client.send("POST", ORDER_QUOTES, order_id=quote["order"] or "none")
    if not quotes:
        message = "No service rate applies to this order now."
        return responses.redirect_with_flash(exchange, QUOTES.record_url(identifier), error=message)
    same_rate = [row for row in quotes if row["service_rate"] == quote["service_rate"]]
    return responses.redirect_with_flash(
        exchange, QUOTES.record_url((same_rate or quotes)[0]["id"]), message="Order requoted."
    )


handlers: Final = [
    show_new_quote,
    accept_quote,
    renew_quote,
    *QUOTES.make_handlers("list", "read"),
]
