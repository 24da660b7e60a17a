"""The order aggregate: locking, and finishing every change in one place.

Every change of an order, its payload, stops or items locks the order first. Two orders are locked
in the order of their UUIDs, then payloads without an order, then a single item. No part of an order
is locked by itself, so there are no deadlocks.
"""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import Conflict
from pannier.kit.geo import Point
from pannier.orders import events
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.quotes import owing, pricing
from pannier.orders.quotes.pricing import PRICED
from pannier.orders.views import Aggregate
from pannier.payloads import queries as payloads
from pannier.payloads.queries import Whole
from pannier.places import queries as places
from pannier.routing import route
from pannier.routing.route import Route

# Public names of the columns.
SHOWN: Final[Mapping[str, str]] = {
    "driver": "driver_assigned",
    "vehicle": "vehicle_assigned",
    "customer_type": "customer",
    "facilitator_type": "facilitator",
    "flow_version": "order_config",
}


# NOTIFY channel for orders that the routing engine has to measure.
MEASURED: Final = "pannier_order_routes"


class OrderClosed(Conflict):
    """The order has ended: only notes, `internal_id`, `meta` and earlier proofs are accepted."""

    code = "order_closed"
    title = "The order is closed."
    remedy = "Only its `notes`, `internal_id` and `meta` can change."


async def changed(
    db: Db,
    held: Aggregate,
    *,
    before: Whole | None = None,
    moved: bool = False,
    **columns: Any,  # noqa: ANN401 - columns
) -> list[str]:
    """Finish a change of an order: save, remeasure, reprice and emit one event.

    `before` is the payload before a possible change; `columns` are the order's own. If a place has
    `moved`, it may lie in another zone, so the order is repriced at any distance. No other code
    remeasures or reprices an order.
    """
    told = [] if before is None else _differing(before, held.whole)
    if before is not None and before.stations != held.whole.stations:
        columns |= await measured(db, held.order.company, held.whole, held.shown)
    await retry_dispatch(db, held)
    saved, names = await ORDERS.change(db, held.order, **columns)
    if told and not names:
        saved = await ORDERS.touch(db, saved)
    priced = moved or "payload" in told or not PRICED.isdisjoint(names)
    priced = priced and saved.open and saved.price_status != "accepted"
    if priced and "distance" not in columns and await _has_moved(db, held):
        way = await measured(db, saved.company, held.whole, held.shown)
        saved, longer = await ORDERS.change(db, saved, **way)
        names = [*names, *longer]
    held.order = saved
    if not {"distance", "time"}.isdisjoint(names):
        await measure_later(db, saved)
    if priced:
        names = [*names, *await _price_again(db, held)]
    told = list(dict.fromkeys(told + [SHOWN.get(name, name) for name in names]))
    if told:
        await events.tell(db, events.OrderUpdated, held, changed=told)
    return told


async def follow(db: Db, held: Aggregate) -> bool:
    """Remeasure an order with a moved place; return whether that was necessary."""
    if not await _has_moved(db, held):
        return False
    await remeasure(db, held)
    return True


async def remeasure(db: Db, held: Aggregate) -> None:
    """Remeasure and reprice a locked order with the present coordinates of its places."""
    way = await measured(db, held.order.company, held.whole, held.shown)
    await changed(db, held, moved=True, **way)


async def _has_moved(db: Db, held: Aggregate) -> bool:
    order = held.order
    return await places.has_moved(db, order.company, held.whole.stations, order.payload)


async def _price_again(db: Db, held: Aggregate) -> list[str]:
    """Reprice an order; return the columns that changed.

    Nobody chooses a quote after dispatch: the cheapest one is accepted once the order is measured.
    """
    status = await pricing.price_again(db, held)
    columns: dict[str, Any] = {"price_status": status}
    is_out = held.order.dispatched_at is not None
    if status == "priced" and is_out and not await is_being_measured(db, held.order):
        columns |= await owing.attach_price(db, held)
    held.order, names = await ORDERS.change(db, held.order, **columns)
    return names


async def retry_dispatch(db: Db, held: Aggregate) -> None:
    """Let the worker retry a postponed dispatch, because the order has changed."""
    if held.order.dispatch_after is None:
        return
    await db.update("orders", held.order.uuid, dispatch_after=None)
    held.order = msgspec.structs.replace(held.order, dispatch_after=None)


def _differing(before: Whole, after: Whole) -> list[str]:
    """List the public fields of the payload that differ."""
    kept = {
        name: getattr(before.payload, name)
        for name in ("current_waypoint", "version", "updated_at")
    }
    payload = msgspec.structs.replace(after.payload, **kept)
    same = Whole(payload, after.waypoints, after.entities) == before
    heading = before.payload.current_waypoint == after.payload.current_waypoint
    return [*([] if same else ["payload"]), *([] if heading else ["current_waypoint"])]


async def measured(db: Db, company: UUID, whole: Whole, shown: payloads.Shown) -> dict[str, Any]:
    """Measure the route through every stop, or from the pickup to the dropoff.

    By great circle, because this runs in a transaction. The routing engine is asked later.
    """
    pace = (await company_settings.of(db, company)).routing
    return way_columns(route.along([shown.places[uuid].location for uuid in whole.stations], pace))


def way_columns(way: Route | None) -> dict[str, Any]:
    if way is None:
        return {"distance": None, "time": None, "route_source": None}
    return {"distance": way.distance, "time": way.time, "route_source": way.source}


async def measure_later(db: Db, order: Order) -> None:
    """Queue an order for the routing engine, if there is one."""
    if order.route_source != "great_circle" or "router" not in db.database.engines:
        return
    await db.execute(
        """insert into order_routes (order_uuid, company, due_at) values (:order, :company, :now)
           on conflict (order_uuid) do update set due_at = :now, attempts = 0""",
        order=order.uuid,
        company=order.company,
        now=db.now,
    )
    db.ring(MEASURED)


async def is_being_measured(db: Db, order: Order) -> bool:
    """Return whether the routing engine has still to measure an order.

    Its price may change then. If the engine never answers, the great circle stays the basis of the
    price.
    """
    if order.route_source != "great_circle" or "router" not in db.database.engines:
        return False
    return bool(
        await db.value(
            "select true from order_routes where company = :company and order_uuid = :order",
            company=order.company,
            order=order.uuid,
        )
    )


def way_points(held: Aggregate) -> list[Point | None]:
    return [held.shown.places[uuid].location for uuid in held.whole.stations]
