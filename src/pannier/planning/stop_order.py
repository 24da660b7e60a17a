"""Sorting the stops of one order. Pure rules.

A drop-off stays after every pickup that comes before it now, because its goods may be from there.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Final

import msgspec

# Steps of the search: one is a look at one stop.
MAX_STEPS: Final = 1_500_000
Table = Sequence[Sequence[int | None]]
# Lateness, the rest of the time, and whether there is no road.
Cost = tuple[int, int, int]
# Stops moved together, and stops of which all orders are tried.
MAX_MOVED: Final = 3
MAX_EXACT: Final = 7


class SortableStop(msgspec.Struct, frozen=True):
    """A stop whose work begins between `opens` and `closes`, and lasts `service` seconds."""

    is_pickup: bool
    service: int
    opens: int | None = None
    closes: int | None = None


class StopSorter:
    """Sorts stops, given the seconds between them and when the work begins.

    `first` are the seconds from the driver's start to each stop, if that is known.
    """

    def __init__(
        self,
        stops: Sequence[SortableStop],
        times: Table,
        begin: int,
        first: Sequence[int | None] | None = None,
    ) -> None:
        self._stops, self._times, self._begin, self._first = stops, times, begin, first
        self._steps = 0
        pickups = [number for number, stop in enumerate(stops) if stop.is_pickup]
        self._before = [
            frozenset()
            if stop.is_pickup
            else frozenset(pickup for pickup in pickups if pickup < number)
            for number, stop in enumerate(stops)
        ]

    def sort(self) -> list[int]:
        """Return the numbers of the stops in a better order, or the present one.

        Of a few stops it is the best order. Of equal ones it is the present one.
        """
        present = list(range(len(self._stops)))
        if len(present) <= MAX_EXACT:
            orders = (list(order) for order in permutations(present))
            return min(filter(self._is_allowed, orders), key=self.measure)
        starts = [present, self._build()]
        return min((self._improve(start) for start in starts), key=self.measure)

    def measure(self, order: Sequence[int]) -> Cost:
        """Return what an order costs: ways without a road, lateness, and time."""
        self._steps += len(order)
        clock, late, lost = self._begin, 0, 0
        last: int | None = None
        for number in order:
            stop = self._stops[number]
            ways = self._first if last is None else self._times[last]
            if ways is not None:
                way = ways[number]
                lost += way is None
                clock += way or 0
            if stop.opens is not None:
                clock = max(clock, stop.opens)
            if stop.closes is not None:
                late += max(0, clock - stop.closes)
            clock += stop.service
            last = number
        return lost, late, clock

    def _build(self) -> list[int]:
        """Build an order by going to the nearest stop each time, the most urgent first."""
        left, order = set(range(len(self._stops))), list[int]()
        while left:
            done = frozenset(order)
            ready = [number for number in left if self._before[number] <= done]
            order.append(min(ready, key=lambda number: (self.measure([*order, number]), number)))
            left.remove(order[-1])
        return order

    def _improve(self, order: list[int]) -> list[int]:
        """Move and reverse pieces of an order while that makes it better."""
        cost, is_better = self.measure(order), True
        while is_better and self._steps < MAX_STEPS:
            is_better = False
            for changed in self._list_changes(order):
                if self._steps >= MAX_STEPS:
                    break
                if self._is_allowed(changed) and (found := self.measure(changed)) < cost:
                    order, cost, is_better = changed, found, True
                    break
        return order

    def _list_changes(self, order: list[int]) -> Iterator[list[int]]:
        count = len(order)
        for size in range(1, MAX_MOVED + 1):
            for first in range(count - size + 1):
                piece, rest = order[first : first + size], order[:first] + order[first + size :]
                for place in range(len(rest) + 1):
                    if place != first:
                        yield [*rest[:place], *piece, *rest[place:]]
        for first in range(count - 1):
            for last in range(first + 2, count + 1):
                yield [*order[:first], *reversed(order[first:last]), *order[last:]]

    def _is_allowed(self, order: Sequence[int]) -> bool:
        """Return whether all drop-offs come after their pickups."""
        self._steps += len(order)
        done = set[int]()
        for number in order:
            if not self._before[number] <= done:
                return False
            done.add(number)
        return True
