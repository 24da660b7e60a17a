"""The pieces of an order that were delivered, and those that a return takes back. Pure rules."""

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias
from uuid import UUID

from pannier.errors import Conflict, FieldError, Invalid, NotFound
from pannier.orders.returns.schemas import ReturnItemIn
from pannier.payloads.models import Entity, Waypoint
from pannier.payloads.queries import PayloadAggregate

# Numbers of pieces by item. An order without items is one piece, with the key None.
Pieces: TypeAlias = Mapping[UUID | None, int]

NO_ITEM: Final = "The order has no such item."
ITEM_TWICE: Final = "must not be in the list twice."
NOTHING_LEFT: Final = "Everything that was delivered is being returned or was returned."
NOTHING_DELIVERED: Final = "Nothing was delivered at the stops of this order."


class ReturnExceedsDelivered(Conflict):
    """The returns of an order bring back at most what was delivered. Canceled ones do not count."""

    code = "return_exceeds_delivered"
    title = "More pieces would be returned than were delivered."
    remedy = "Return fewer pieces, or cancel another return of the order first."


class ReturnItemsFixed(Conflict):
    """A return keeps its items, because they were counted when it was created."""

    code = "return_items_fixed"
    title = "The items of a return cannot be changed."
    remedy = "Cancel the return, and create another one."


def find_delivery_stop(payload: PayloadAggregate, item: Entity) -> Waypoint | None:
    """Return the stop where an item is delivered. An order without stops has none."""
    stops = payload.waypoints
    return next(
        (stop for stop in stops if stop.uuid == item.destination), stops[-1] if stops else None
    )


def list_delivery_stops(payload: PayloadAggregate) -> list[Waypoint]:
    """List the stops where an order without items delivered something.

    Without a drop-off, it is the last completed stop: stops can have any type.
    """
    stops = payload.waypoints[1:]
    completed_stops = [stop for stop in stops if stop.completed_at is not None]
    if not any(stop.type == "dropoff" for stop in stops):
        return completed_stops[-1:]
    return [stop for stop in completed_stops if stop.type == "dropoff"]


def count_delivered(payload: PayloadAggregate) -> Pieces:
    """Count the pieces that a completed order delivered.

    What went back after a failed attempt was not delivered.
    """
    if not payload.entities:
        return {None: 1 if not payload.waypoints or list_delivery_stops(payload) else 0}
    return {
        item.uuid: item.quantity if _is_delivered(payload, item) else 0 for item in payload.entities
    }


def _is_delivered(payload: PayloadAggregate, item: Entity) -> bool:
    stop = find_delivery_stop(payload, item)
    return stop is None or stop.completed_at is not None


def choose_pieces(
    payload: PayloadAggregate, returned: Pieces, items: Sequence[ReturnItemIn] | None
) -> Pieces:
    """Return the pieces that the request asks for. By default, it is all that are left."""
    delivered = count_delivered(payload)
    if not any(delivered.values()):
        raise ReturnExceedsDelivered(NOTHING_DELIVERED)
    remaining = {uuid: count - returned.get(uuid, 0) for uuid, count in delivered.items()}
    if items is not None:
        return _choose_items(payload, remaining, items)
    selection = {uuid: count for uuid, count in remaining.items() if count > 0}
    if not selection:
        raise ReturnExceedsDelivered(NOTHING_LEFT)
    return selection


def _choose_items(
    payload: PayloadAggregate, remaining: Pieces, items: Sequence[ReturnItemIn]
) -> Pieces:
    uuids = {name: row.uuid for row in payload.entities for name in (row.public_id, str(row.uuid))}
    paths = [f"items[{index}]" for index in range(len(items))]
    unknown = [
        FieldError(f"{path}.entity", NO_ITEM)
        for path, item in zip(paths, items, strict=True)
        if item.entity not in uuids
    ]
    if unknown:
        raise NotFound(fields=unknown)
    selection: dict[UUID | None, int] = {}
    for path, item in zip(paths, items, strict=True):
        uuid = uuids[item.entity]
        if uuid in selection:
            raise Invalid(fields=[FieldError(f"{path}.entity", ITEM_TWICE)])
        selection[uuid] = item.quantity or max(remaining[uuid], 1)
    excess = [
        FieldError(path, f"At most {max(remaining[uuid], 0)} can be returned.")
        for path, uuid in zip(paths, selection, strict=True)
        if selection[uuid] > remaining[uuid]
    ]
    if excess:
        raise ReturnExceedsDelivered(fields=excess)
    return selection


def check_limits(delivered: Pieces, returned: Pieces, added: Pieces) -> None:
    """Reject pieces that, with those of the other returns, are more than were delivered."""
    for uuid, count in added.items():
        if returned.get(uuid, 0) + count > delivered.get(uuid, 0):
            raise ReturnExceedsDelivered


def check_same_items(before: PayloadAggregate, after: PayloadAggregate) -> None:
    """Reject other items, or another number of pieces."""
    if _count_pieces(before) != _count_pieces(after):
        raise ReturnItemsFixed


def _count_pieces(payload: PayloadAggregate) -> Pieces:
    return {item.uuid: item.quantity for item in payload.entities}
