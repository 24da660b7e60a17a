"""An order is one thing with its payload, stops and items: taken first, and ended in one place.

Whoever changes any of it holds the order, whichever door they came through: two orders in the
order of their UUIDs, then payloads that no order moves, then a single item. Nothing of an order
is held by itself, so nobody waits for somebody who waits for them.
"""

from collections.abc import Mapping
from typing import Any, Final, Self
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.orders import events, views
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.schemas import OrderOut
from pannier.orders.views import Shown
from pannier.payloads import queries as payloads
from pannier.payloads.models import Payload, Waypoint
from pannier.payloads.queries import Whole
from pannier.routing import route

# Columns by the name under which a caller knows them.
SHOWN: Final[Mapping[str, str]] = {
    "driver": "driver_assigned",
    "vehicle": "vehicle_assigned",
    "customer_type": "customer",
    "facilitator_type": "facilitator",
    "flow_version": "order_config",
}


class Aggregate(msgspec.Struct):
    """An order with all that it moves and points at; whoever writes any of it keeps it right."""

    order: Order
    shown: Shown

    @classmethod
    async def of(cls, db: Db, order: Order) -> Self:
        """Read all that an order moves and points at; to change any of it, hold the order first."""
        return cls(order, await views.shown(db, order.company, [order]))

    @property
    def whole(self) -> Whole:
        """What the order moves, with its stops and items."""
        return self.shown.payloads.wholes[self.order.payload]

    def put(self, payload: Payload, stops: list[Waypoint]) -> None:
        """Show the payload and its stops in the form that they have now."""
        self.shown.payloads.put(Whole(payload, stops, self.whole.entities))

    def out(self) -> OrderOut:
        """Spell the order."""
        return self.shown.out(self.order)


async def changed(
    db: Db,
    held: Aggregate,
    *,
    before: Whole | None = None,
    **columns: Any,  # noqa: ANN401 - columns
) -> list[str]:
    """End a change of an order, its payload, stops or items: measure, count, tell once.

    `before` is what the order moved, when that may have changed; `columns` are the order's own.
    What depends on the whole of an order follows its changes here and nowhere else: a price that
    was quoted for it is to be found again between measuring and telling.
    """
    told = [] if before is None else _differing(before, held.whole)
    if "payload" in told:
        columns |= measured(held.whole, held.shown.payloads)
    if held.order.dispatch_after is not None:
        await _look_again(db, held)
    saved, names = await ORDERS.change(db, held.order, **columns)
    if told and not names:
        saved = await ORDERS.touch(db, saved)
    held.order = saved
    told = list(dict.fromkeys(told + [SHOWN.get(name, name) for name in names]))
    if told:
        await events.tell(db, events.OrderUpdated, saved, held.shown, changed=told)
    return told


async def _look_again(db: Db, held: Aggregate) -> None:
    """Have the worker look at an order that it had put off: it may be ready to go by now."""
    await db.update("orders", held.order.uuid, dispatch_after=None)
    held.order = msgspec.structs.replace(held.order, dispatch_after=None)


def _differing(before: Whole, after: Whole) -> list[str]:
    """Name what an order shows of its payload, as far as that differs."""
    kept = {
        name: getattr(before.payload, name)
        for name in ("current_waypoint", "version", "updated_at")
    }
    payload = msgspec.structs.replace(after.payload, **kept)
    same = Whole(payload, after.waypoints, after.entities) == before
    heading = before.payload.current_waypoint == after.payload.current_waypoint
    return [*([] if same else ["payload"]), *([] if heading else ["current_waypoint"])]


def measured(whole: Whole, shown: payloads.Shown) -> dict[str, Any]:
    """Measure the way through every stop, or from the pickup to the dropoff."""
    way = route.along([shown.places[uuid].location for uuid in stations(whole)])
    return {"distance": way.distance if way else None, "time": way.time if way else None}


def stations(whole: Whole) -> list[UUID]:
    """Name the places on the way: those of the stops, or the pickup and the dropoff."""
    ends = [uuid for uuid in (whole.payload.pickup, whole.payload.dropoff) if uuid is not None]
    return [stop.place for stop in whole.waypoints] or ends
