"""The order aggregate: it locks an order and finishes every change in one place.

Every change of an order, its payload, stops or items locks the order first. Two orders are locked
in the order of their UUIDs, then payloads without an order, then a single item. No part of an order
is locked on its own, so there are no deadlocks.
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
from pannier.orders.quotes import adjusting, debts, pricing
from pannier.orders.quotes.pricing import PRICE_COLUMNS
from pannier.orders.returns.pieces import check_same_items
from pannier.orders.views import OrderAggregate
from pannier.payloads import queries as payloads
from pannier.payloads.queries import PayloadAggregate
from pannier.payments.transactions import charges
from pannier.places import queries as places
from pannier.routing import route
from pannier.routing.route import MeasuredRoute, Route

# Public names of the columns.
PUBLIC_NAMES: Final[Mapping[str, str]] = {
    "driver": "driver_assigned",
    "vehicle": "vehicle_assigned",
    "customer_type": "customer",
    "customer_name": "customer",
    "facilitator_type": "facilitator",
    "flow_version": "order_config",
    "route_firm": "route_source",
}


# Columns that no answer shows.
HIDDEN_COLUMNS: Final = frozenset(
    {"priced_shipment", "priced_distance", "currency", "store", "payment_deadline"}
)
# Fields of stops that recipients change.
RECIPIENT_FIELDS: Final = ("delivery_instructions", "rating")
# NOTIFY channel for orders that the routing engine has to measure.
ROUTES_CHANNEL: Final = "pannier_order_routes"


class OrderClosed(Conflict):
    """The order has ended. Proofs captured before that are still accepted."""

    code = "order_closed"
    title = "The order is closed."
    remedy = "Only the order's `notes`, `internal_id` and `meta` can be changed."


async def finish_change(
    db: Db,
    order: OrderAggregate,
    *,
    previous_payload: PayloadAggregate | None = None,
    has_moved: bool = False,
    **columns: Any,  # noqa: ANN401 - columns
) -> list[str]:
    """Finish a change of an order: save, remeasure, reprice and emit one event.

    `previous_payload` is the payload before a possible change; `columns` are the order's changes.
    Set `has_moved` if a place has moved: it may lie in another zone, so the order is repriced even
    if the distance stays the same. No other code remeasures or reprices an order.
    """
    if previous_payload is not None and order.row.return_of is not None:
        check_same_items(previous_payload, order.payload_aggregate)
    changed_fields = (
        []
        if previous_payload is None
        else _list_changed_fields(previous_payload, order.payload_aggregate)
    )
    if (
        previous_payload is not None
        and previous_payload.place_uuids != order.payload_aggregate.place_uuids
    ):
        columns |= await measure(db, order.row.company, order.payload_aggregate, order.related)
    await clear_dispatch_delay(db, order)
    row, names = await ORDERS.change(db, order.row, **columns)
    if changed_fields and not names:
        row = await ORDERS.touch(db, row)
    previous_customer = order.row.customer
    should_price = has_moved or "payload" in changed_fields or not PRICE_COLUMNS.isdisjoint(names)
    should_price = should_price and row.open
    if should_price and "distance" not in columns and await _has_moved(db, order):
        measurement = await measure(db, row.company, order.payload_aggregate, order.related)
        row, remeasured_names = await ORDERS.change(db, row, **measurement)
        names = [*names, *remeasured_names]
    order.row = row
    if not {"distance", "time", "route_firm"}.isdisjoint(names):
        await queue_measurement(db, row)
    if row.customer != previous_customer:
        await charges.move_debt(
            db,
            row.company,
            row.uuid,
            previous_customer,
            order.related.partner(row.customer, row.customer_type),
        )
    if should_price:
        names = [*names, *await _reprice(db, order, can_refuse=not has_moved)]
    changed_fields = list(
        dict.fromkeys(
            changed_fields
            + [PUBLIC_NAMES.get(name, name) for name in names if name not in HIDDEN_COLUMNS]
        )
    )
    if changed_fields:
        await events.emit(db, events.OrderUpdated, order, changed=changed_fields)
    return changed_fields


async def remeasure_if_moved(db: Db, order: OrderAggregate) -> bool:
    """Remeasure an order if one of its places has moved; return whether one has."""
    if not await _has_moved(db, order):
        return False
    await remeasure(db, order)
    return True


async def remeasure(db: Db, order: OrderAggregate) -> None:
    """Remeasure and reprice a locked order with the current coordinates of its places."""
    measurement = await measure(db, order.row.company, order.payload_aggregate, order.related)
    await finish_change(db, order, has_moved=True, **measurement)


async def _has_moved(db: Db, order: OrderAggregate) -> bool:
    row = order.row
    return await places.is_remeasuring_pending(
        db, row.company, order.payload_aggregate.place_uuids, row.payload
    )


async def _reprice(db: Db, order: OrderAggregate, *, can_refuse: bool) -> list[str]:
    """Reprice an order; return the columns that changed. An accepted price is adjusted.

    Nobody chooses a quote after dispatch: the cheapest one is accepted once the order is measured.
    """
    is_measured = not await is_being_measured(db, order.row)
    if order.row.price_status == "accepted":
        columns = await adjusting.adjust_price(
            db, order, is_measured=is_measured, can_refuse=can_refuse
        )
    else:
        status = await pricing.reprice(db, order)
        columns = {"price_status": status}
        if status == "priced" and order.row.dispatched_at is not None and is_measured:
            columns |= await debts.attach_price(db, order)
    order.row, names = await ORDERS.change(db, order.row, **columns)
    return names


async def price_unmeasured_order(db: Db, order: OrderAggregate) -> None:
    """Price an order that is about to be completed, if its price still waits for the engine.

    Afterwards nobody measures it. The great circle then is the basis of its price.
    """
    if not await is_being_measured(db, order.row):
        return
    await db.execute(
        "delete from order_routes where company = :company and order_uuid = :order",
        company=order.row.company,
        order=order.row.uuid,
    )
    await finish_change(db, order, has_moved=True)


async def clear_dispatch_delay(db: Db, order: OrderAggregate) -> None:
    """Clear the delay of a postponed dispatch, so that the worker retries it after a change."""
    if order.row.dispatch_after is None:
        return
    await db.update("orders", order.row.uuid, dispatch_after=None)
    order.row = msgspec.structs.replace(order.row, dispatch_after=None)


def _list_changed_fields(
    previous_aggregate: PayloadAggregate, current_aggregate: PayloadAggregate
) -> list[str]:
    """List the public fields of the payload that differ."""
    ignored_values = {
        name: getattr(previous_aggregate.payload, name)
        for name in ("current_waypoint", "version", "updated_at")
    }
    payload = msgspec.structs.replace(current_aggregate.payload, **ignored_values)
    is_same_payload = (
        PayloadAggregate(payload, current_aggregate.waypoints, current_aggregate.entities)
        == previous_aggregate
    )
    has_same_destination = (
        previous_aggregate.payload.current_waypoint == current_aggregate.payload.current_waypoint
    )
    return [
        *([] if is_same_payload else ["payload"]),
        *(
            name
            for name in RECIPIENT_FIELDS
            if _list_values(previous_aggregate, name) != _list_values(current_aggregate, name)
        ),
        *([] if has_same_destination else ["current_waypoint"]),
    ]


def _list_values(payload_aggregate: PayloadAggregate, name: str) -> list[Any]:
    values = (getattr(stop, name) for stop in payload_aggregate.waypoints)
    return [value for value in values if value is not None]


async def measure(
    db: Db,
    company: UUID,
    payload_aggregate: PayloadAggregate,
    related: payloads.PayloadRecords,
    measured_route: MeasuredRoute | None = None,
) -> dict[str, Any]:
    """Measure the route through every stop, or from the pickup to the drop-off.

    Uses `measured_route` if it leads through the same points. Otherwise uses the great circle,
    because this runs in a transaction. The routing engine is asked later.
    """
    points = [related.places[uuid].location for uuid in payload_aggregate.place_uuids]
    known_route = None if measured_route is None else measured_route.find(points)
    if known_route is not None:
        return route_columns(known_route)
    pace = (await company_settings.load(db, company)).routing
    great_circle = route.measure_great_circle(points, pace)
    return route_columns(great_circle, is_firm="router" not in db.database.engines)


def route_columns(route: Route | None, *, is_firm: bool = True) -> dict[str, Any]:
    if route is None:
        return {"distance": None, "time": None, "route_source": None, "route_firm": True}
    return {
        "distance": route.distance,
        "time": route.time,
        "route_source": route.source,
        "route_firm": route.firm and is_firm,
    }


async def queue_measurement(db: Db, order: Order) -> None:
    """Queue an order for the routing engine, if there is one."""
    if order.route_firm or "router" not in db.database.engines:
        return
    await db.execute(
        """insert into order_routes (order_uuid, company, due_at) values (:order, :company, :now)
           on conflict (order_uuid) do update set due_at = :now, attempts = 0""",
        order=order.uuid,
        company=order.company,
        now=db.now,
    )
    db.notify(ROUTES_CHANNEL)


async def save_route(db: Db, order: OrderAggregate, route: Route) -> None:
    """Save the route that the engine has measured for a queued order, and reprice the order."""
    await db.execute(
        "delete from order_routes where company = :company and order_uuid = :order",
        company=order.row.company,
        order=order.row.uuid,
    )
    await finish_change(db, order, **route_columns(route))


async def is_being_measured(db: Db, order: Order) -> bool:
    """Return whether the routing engine still has to measure an order.

    Its price may change then. If the engine never answers, the great circle stays the basis of the
    price.
    """
    if order.route_firm or "router" not in db.database.engines:
        return False
    return bool(
        await db.fetch_value(
            "select true from order_routes where company = :company and order_uuid = :order",
            company=order.company,
            order=order.uuid,
        )
    )


def route_points(order: OrderAggregate) -> list[Point | None]:
    return [order.related.places[uuid].location for uuid in order.payload_aggregate.place_uuids]
