"""Quotes: the prices of a shipment by every rate, and accepting one of them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from litestar import Response

from pannier.console import columns, confirm, door, fields, journeys, lookup, render, shipments
from pannier.console.amounts import in_minor
from pannier.console.columns import Column
from pannier.console.desk import Desk, Rows
from pannier.console.entries import sent_of
from pannier.console.forms import Field, Form
from pannier.console.records import PAGE, Records, asked, zone_of
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

API: Final = "/int/v1/service-quotes"
ONE: Final = f"{API}/{{service_quote_id}}"
ACCEPT: Final = f"{ONE}/accept"
PREVIEW: Final = f"{API}/preview"
OF_ORDER: Final = "/int/v1/orders/{order_id}/service-quotes"
STATES: Final = (("open", "Open"), ("accepted", "Accepted"), ("replaced", "Replaced"))
# Statuses of quotes that can still be accepted, or have been.
STANDING: Final = frozenset({"open", "expired", "accepted"})
SHIPMENT: Final = Form(
    (
        *shipments.FIELDS[:2],
        Field(name="waypoints", label="Stops", kind="list", resource="places",
              help="One per line."),
        *shipments.FIELDS[2:],
        Field(name="service_type", label="Service", placeholder="express"),
        Field(name="currency", label="Currency", placeholder="SGD"),
        Field(name="facilitator", label="Facilitator", kind="record", resource="vendors contacts",
              placeholder="Vendor"),
    )
)  # fmt: skip


class Offers(NamedTuple):
    """Quotes to choose from, and the reasons why other rates have none."""

    tiers: Sequence[Any] = ()
    rejected: Sequence[Any] = ()
    between: Sequence[str] = ()
    wrong: Sequence[str] = ()


class Quotes(Records):
    """Quotes of all orders, or of the order in the query."""

    async def found(self, desk: Desk, given: Mapping[str, str]) -> Rows:
        if not given.get("order"):
            return await super().found(desk, given)
        names = ("state", "cursor", "sort")
        wanted = {name: given[name] for name in names if given.get(name)}
        return await desk.rows(OF_ORDER, {"limit": str(PAGE), **wanted}, order_id=given["order"])


async def beside(desk: Desk, quote: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load the other quotes of the order, and the reasons why other rates do not apply."""
    if quote["order"] is None:
        return {"order": None, "offers": Offers([quote]), "earlier": [],
                "owed": await _owed(desk, [quote]), "over": False}  # fmt: skip
    order = await desk.get("/v1/orders/{order_id}", order_id=quote["order"])
    rows = (await desk.rows(OF_ORDER, {"limit": "100"}, order_id=quote["order"])).rows
    tiers = sorted(
        (row for row in rows if row["status"] in STANDING), key=lambda row: int(row["amount"])
    )
    owed = await _owed(desk, tiers)
    closed = order["status"] in {"completed", "canceled"}
    return {
        "order": order,
        "offers": Offers(tiers, await _rejected(desk, order)),
        "earlier": [row for row in rows if row["status"] == "replaced"],
        "owed": owed,
        "over": closed or (owed is not None and owed["status"] != "voided"),
    }


async def _owed(desk: Desk, tiers: Sequence[Any]) -> Any:  # noqa: ANN401 - JSON
    """Find the transaction of the accepted quote."""
    accepted = [row["transaction"] for row in tiers if row["transaction"]]
    if not accepted:
        return None
    return await desk.get("/int/v1/transactions/{transaction_id}", transaction_id=accepted[0])


async def _rejected(desk: Desk, order: Any) -> list[Any]:  # noqa: ANN401 - JSON
    """List the rates that do not apply to an order, with reasons."""
    asking = {"payload": order["payload"]["id"], "explain": "true",
              "distance": order["distance"], "time": order["time"]}  # fmt: skip
    try:
        told: list[Any] = (await desk.get(PREVIEW, asking))["rejected"]
    except Problem:
        # The route is not known yet, so no rate can apply.
        return []
    return told


QUOTES: Final = Quotes(
    API,
    noun="quote",
    name="service_quote_id",
    titled="service_name",
    columns=(
        Column("Service", "service_name", "link"),
        columns.AMOUNT,
        columns.STATUS,
        columns.ORDER,
        Column("Distance", "distance", "distance", wide=True),
        Column("Transaction", "transaction", "link", to="transactions", wide=True),
        Column("Expires", "expired_at", "time"),
        Column("Created", "created_at", "ago", wide=True),
    ),
    filters=(
        fields.ORDER,
        Field(name="state", label="Status", kind="choice", options=STATES),
    ),
    listing="service-quotes/list.html",
    reading="service-quotes/quote.html",
    beside=beside,
    deletes=False,
    live="order.",
    empty="No quotes yet. Every new order is priced by all service rates that apply.",
)


async def offered(desk: Desk, filled: Mapping[str, str]) -> Offers:
    """Price the input by every rate, or report errors."""
    if not any(filled.get(name) for name in ("pickup", "dropoff", "waypoints")):
        return Offers()
    settings = await desk.get("/int/v1/settings")
    currency = (filled.get("currency") or settings["currency"] or "").upper()
    sent = sent_of(filled, ())
    try:
        sent = await lookup.resolve(desk, SHIPMENT.fields, sent)
        typed = SHIPMENT.body(in_minor(sent, SHIPMENT.fields, currency), await zone_of(desk))
        shipment = shipments.body(typed)
        if "entities" in shipment:
            shipment["entities"] = msgspec.json.encode(shipment["entities"]).decode()
        told = await desk.get(PREVIEW, {**shipment, "explain": "true"})
    except Problem as problem:
        return Offers(wrong=shipments.said(problem, shipments.LABELS))
    between = await shipments.between(desk, shipment)
    return Offers(told["quotes"], told["rejected"], between)


@get("/service-quotes/new")
async def new(exchange: Exchange) -> Response[bytes]:
    """Price a shipment without an order."""
    desk, given = Desk(exchange), asked(exchange)
    filled = given or await shipments.usual(desk)
    return await render.page(
        desk, "service-quotes/new.html", title="New quote", records=QUOTES, filled=filled,
        shipment=SHIPMENT, offers=await offered(desk, filled),
    )  # fmt: skip


@post("/service-quotes/accept", status_code=200)
async def accept(exchange: Exchange) -> Response[bytes]:
    """Accept a quote, once even if sent twice, and redirect to the transaction."""
    desk, sent = Desk(exchange), door.sent(exchange)
    confirm.require(exchange, journeys.ACCEPTING, "Accept")
    named = {name: sent[name] for name in ("order", "customer") if sent.get(name)}
    made = await desk.act("POST", ACCEPT, named, service_quote_id=sent.get("quote") or "none")
    said = "Quote accepted."
    said += " It can be paid on the payment page." if made["checkout_url"] else ""
    return render.led(exchange, f"/console/transactions/{made['id']}", said=said)


@post("/service-quotes/{identifier:str}/renew", status_code=200)
async def renew(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Price the quote's order again, and redirect to the quote that replaces this one."""
    desk = Desk(exchange)
    quote = await desk.get(ONE, service_quote_id=identifier)
    made = await desk.act("POST", OF_ORDER, order_id=quote["order"] or "none")
    if not made:
        sentence = "No service rate applies to this order now."
        return render.led(exchange, QUOTES.address(identifier), refused=sentence)
    same = [row for row in made if row["service_rate"] == quote["service_rate"]]
    return render.led(exchange, QUOTES.address((same or made)[0]["id"]), said="Order requoted.")


handlers: Final = [new, accept, renew, *QUOTES.handlers("list", "read")]
