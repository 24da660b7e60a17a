"""The request that creates a return: the stops of the delivered order, swapped. Pure rules."""

from collections.abc import Sequence
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from pannier.orders.duplicates import copying
from pannier.orders.returns.pieces import Pieces, find_delivery_stop, list_delivery_stops
from pannier.orders.returns.schemas import ReturnIn
from pannier.orders.schemas import OrderIn
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import Waypoint
from pannier.payloads.queries import PayloadAggregate

# A delivery's proof, notes and cash concern the delivery only.
ORDER_FIELDS: Final = (
    "order_config", "customer", "facilitator", "required_skills", "adhoc", "adhoc_distance", "meta",
)  # fmt: skip
STOP_FIELDS: Final = ("place", "contact", "service_time", "meta")
ITEM_FIELDS: Final = tuple(set(copying.ITEM_FIELDS) - set(copying.CASH_FIELDS))


def make_return(order: OrderAggregate, pieces: Pieces, data: ReturnIn, zone: ZoneInfo) -> OrderIn:
    """Make the request for an order that brings these pieces of a delivered order back."""
    order_in = copying.make_request(_make_body(order, pieces, zone), None, zone)
    return msgspec.structs.replace(
        order_in, notes=data.reason, scheduled_at=data.scheduled_at, driver=data.driver
    )


def _make_body(order: OrderAggregate, pieces: Pieces, zone: ZoneInfo) -> dict[str, Any]:
    """Return the body, without any times."""
    body = copying.make_body(order, zone)
    payload, aggregate = body["payload"], order.payload_aggregate
    items = [
        {**_select(item, ITEM_FIELDS), "quantity": pieces[row.uuid]}
        for row, item in zip(aggregate.entities, payload["entities"], strict=True)
        if row.uuid in pieces
    ]
    new_payload = _select(payload, ("type", "meta"))
    if aggregate.waypoints:
        stops = _swap_stops(aggregate, pieces, payload["waypoints"])
        new_payload["waypoints"] = stops
        items = [{**item, "destination": len(stops) - 1} for item in items]
    else:
        new_payload |= {"pickup": payload["dropoff"], "dropoff": payload["pickup"]}
    return {**_select(body, ORDER_FIELDS), "payload": {**new_payload, "entities": items}}


def _swap_stops(
    aggregate: PayloadAggregate, pieces: Pieces, stops: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the stops where the pieces were delivered, and then the first stop."""
    collected = {stop.uuid for stop in _list_delivery_stops(aggregate, pieces)}
    pickups = [
        {**_select(stop, STOP_FIELDS), "type": "pickup"}
        for row, stop in zip(aggregate.waypoints, stops, strict=True)
        if row.uuid in collected
    ]
    return [*pickups, {**_select(stops[0], STOP_FIELDS), "type": "dropoff"}]


def _list_delivery_stops(aggregate: PayloadAggregate, pieces: Pieces) -> list[Waypoint]:
    """List the stops of the items. Without items, list those of the whole order."""
    if aggregate.entities:
        stops = (
            find_delivery_stop(aggregate, item)
            for item in aggregate.entities
            if item.uuid in pieces
        )
        return [stop for stop in stops if stop is not None]
    return list_delivery_stops(aggregate)


def _select(record: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: record[name] for name in names if name in record}
