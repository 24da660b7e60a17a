"""The sequence of a driver's stops over all their orders. Pure rules."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from heapq import heapify, heappop, heappush
from uuid import UUID

from pannier.orders.driver_days.stops import DayStop


def arrange(stops: Iterable[DayStop]) -> list[DayStop]:
    """Sort the stops of a driver.

    Stops that have begun come first. Planned stops keep the sequence of the plan. The other orders
    are merged into it by due time. The current stop of an order comes before its others, and each
    order otherwise keeps its own sequence.
    """
    orders: defaultdict[UUID, list[DayStop]] = defaultdict(list)
    for stop in stops:
        orders[stop.order_uuid].append(stop)
    for order_stops in orders.values():
        order_stops.sort(key=_rank)
    begun = [queue.pop(0) for queue in orders.values() if queue[0].has_begun]
    planned, unplanned = list[list[DayStop]](), list[list[DayStop]]()
    for queue in orders.values():
        (planned if any(stop.planned_at for stop in queue) else unplanned).append(queue)
    return sorted(begun, key=_merge_key) + _merge([_follow_plan(planned), *unplanned])


def _rank(stop: DayStop) -> tuple[bool, bool, bool, datetime, int]:
    """Return the sort key of a stop within its order."""
    return (
        not stop.has_begun,
        not stop.is_current,
        stop.planned_at is None,
        stop.planned_at or stop.created_at,
        stop.position,
    )


def _follow_plan(orders: Sequence[Sequence[DayStop]]) -> list[DayStop]:
    """Merge planned orders: each order's stops take the places of its planned ones, in turn.

    Stops that were added after the planning come right after the last planned one of their order.
    """
    places: list[tuple[datetime, UUID]] = []
    for queue in orders:
        times = sorted(stop.planned_at for stop in queue if stop.planned_at is not None)
        times += times[-1:] * (len(queue) - len(times))
        places += [(moment, queue[0].order_uuid) for moment in times]
    places.sort()
    queues = {queue[0].order_uuid: iter(queue) for queue in orders}
    return [next(queues[order]) for _, order in places]


def _merge(queues: Iterable[Sequence[DayStop]]) -> list[DayStop]:
    """Merge queues by the due time of their heads. Each queue keeps its own sequence."""
    heads = [(_merge_key(queue[0]), 0, queue) for queue in queues if queue]
    heapify(heads)
    merged = []
    while heads:
        _, at, queue = heappop(heads)
        merged.append(queue[at])
        if at + 1 < len(queue):
            heappush(heads, (_merge_key(queue[at + 1]), at + 1, queue))
    return merged


def _merge_key(stop: DayStop) -> tuple[datetime, datetime, str, str, int]:
    return stop.due_at, stop.created_at, stop.order_id, stop.type, stop.position
