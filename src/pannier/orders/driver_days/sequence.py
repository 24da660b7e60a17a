"""The sequence of a driver's stops over all their orders. Pure rules."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from heapq import heapify, heappop, heappush
from uuid import UUID

from pannier.orders.driver_days.stops import DayStop


def arrange_stops(stops: Iterable[DayStop]) -> list[DayStop]:
    """Sort the stops of a driver.

    Stops that have begun come first. Planned stops keep the sequence of the plan. The other orders
    are merged into it by due time. The current stop of an order comes before its others, and each
    order otherwise keeps its own sequence.
    """
    orders: defaultdict[UUID, list[DayStop]] = defaultdict(list)
    for stop in stops:
        orders[stop.order_uuid].append(stop)
    for order_stops in orders.values():
        order_stops.sort(key=_order_key)
    begun_stops = [queue.pop(0) for queue in orders.values() if queue[0].has_begun]
    planned_orders, unplanned_orders = list[list[DayStop]](), list[list[DayStop]]()
    for queue in orders.values():
        (planned_orders if any(stop.planned_at for stop in queue) else unplanned_orders).append(
            queue
        )
    return sorted(begun_stops, key=_merge_key) + _merge_queues(
        [_follow_plan(planned_orders), *unplanned_orders]
    )


def _order_key(stop: DayStop) -> tuple[bool, bool, bool, datetime, int]:
    """Return the sort key of a stop within its order."""
    return (
        not stop.has_begun,
        not stop.is_current,
        stop.planned_at is None,
        stop.planned_at or stop.created_at,
        stop.position,
    )


def _follow_plan(orders: Sequence[Sequence[DayStop]]) -> list[DayStop]:
    """Merge planned orders: the stops of an order, in sequence, take the times planned for it.

    Stops that were added after planning follow the last planned stop of their order.
    """
    slots: list[tuple[datetime, UUID]] = []
    for queue in orders:
        times = sorted(stop.planned_at for stop in queue if stop.planned_at is not None)
        times += times[-1:] * (len(queue) - len(times))
        slots += [(planned_at, queue[0].order_uuid) for planned_at in times]
    slots.sort()
    queues = {queue[0].order_uuid: iter(queue) for queue in orders}
    return [next(queues[order]) for _, order in slots]


def _merge_queues(queues: Iterable[Sequence[DayStop]]) -> list[DayStop]:
    """Merge queues by the due time of their heads. Each queue keeps its own sequence."""
    heads = [(_merge_key(queue[0]), 0, queue) for queue in queues if queue]
    heapify(heads)
    merged_stops = []
    while heads:
        _, index, queue = heappop(heads)
        merged_stops.append(queue[index])
        if index + 1 < len(queue):
            heappush(heads, (_merge_key(queue[index + 1]), index + 1, queue))
    return merged_stops


def _merge_key(stop: DayStop) -> tuple[datetime, datetime, str, str, int]:
    return stop.due_at, stop.created_at, stop.order_id, stop.type, stop.position
