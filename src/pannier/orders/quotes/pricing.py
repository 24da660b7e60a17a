"""Pricing an order: quotes are made with it, and again when something changes that they rest on."""

import hashlib
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from pannier.db import Db
from pannier.orders.models import Order
from pannier.orders.quotes import queries
from pannier.orders.quotes.models import ServiceQuote
from pannier.orders.quotes.queries import QUOTES
from pannier.payloads.queries import Whole
from pannier.places.models import Place
from pannier.rates.models import ServiceRate
from pannier.rates.quotes import quoting, shipments, signing
from pannier.rates.quotes.quoting import Quote
from pannier.rates.shipment import Shipment
from pannier.routing.route import Route

# The columns of an order on which a price rests, besides what it moves.
PRICED: Final = frozenset(
    {"order_config", "facilitator", "scheduled_at", "distance", "time", "route_source"}
)
# Of very many rates that hold, the cheapest are kept.
MOST: Final = 50


def shipment_of(
    db: Db, order: Order, whole: Whole, places: Mapping[UUID, Place]
) -> Shipment | None:
    """See an order as something to be priced; None while it is not known where it goes."""
    draft = shipments.of_whole(
        whole,
        places,
        db.now,
        scheduled_at=order.scheduled_at,
        order_config=order.order_config,
        facilitator=order.facilitator,
    )
    if draft is None or order.distance is None or order.time is None:
        return None
    return draft.along(Route(order.distance, order.time, order.route_source or "great_circle"))


def mark_of(shipment: Shipment, order: Order) -> bytes:
    """Tell apart what was priced, with the way as it was measured."""
    asked = signing.mark(shipment, order.scheduled_at)
    way = f"{shipment.route.distance} {shipment.route.time}"
    return hashlib.sha256(asked + way.encode()).digest()


async def price(db: Db, order: Order, whole: Whole, places: Mapping[UUID, Place]) -> bool:
    """Make the quotes of an order that has none; tell whether there are any."""
    shipment = shipment_of(db, order, whole, places)
    found = [] if shipment is None else await quoting.quoted(db, order.company, shipment)
    if shipment is not None and found:
        mark = mark_of(shipment, order)
        rows = [_row(db, order, quote, mark) for quote in found[:MOST]]
        await QUOTES.insert_all(db, rows)
    return bool(found)


async def price_again(db: Db, order: Order, whole: Whole, places: Mapping[UUID, Place]) -> None:
    """Make new quotes in place of those that rest on what is not so any more."""
    kept = await queries.open_quotes(db, order.company, order.uuid)
    shipment = shipment_of(db, order, whole, places)
    if kept and shipment is not None and kept[0].shipment == mark_of(shipment, order):
        return
    await renew(db, order, whole, places)


async def renew(db: Db, order: Order, whole: Whole, places: Mapping[UUID, Place]) -> None:
    """Make new quotes in place of the open ones."""
    await queries.replace_open(db, order.company, order.uuid)
    await price(db, order, whole, places)


def columns_of(rate: ServiceRate) -> dict[str, Any]:
    """Name the version of a rate that a quote rests on."""
    return {
        "service_rate": rate.uuid,
        "service_rate_id": rate.public_id,
        "service_rate_version": rate.version,
        "service_name": rate.service_name,
        "service_type": rate.service_type,
    }


def _row(db: Db, order: Order, quote: Quote, mark: bytes) -> ServiceQuote:
    return QUOTES.draft(
        db,
        order.company,
        order_uuid=order.uuid,
        order_id=order.public_id,
        **columns_of(quote.rate),
        amount=quote.amount,
        currency=quote.currency,
        items=list(quote.lines),
        distance=quote.route.distance,
        time=quote.route.time,
        route_source=quote.route.source,
        shipment=mark,
        state="open",
        expired_at=quote.expired_at,
    )
