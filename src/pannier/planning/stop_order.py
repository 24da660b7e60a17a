"""Sorting the stops of one order. Pure rules.

A drop-off stays after all pickups that precede it now, because its goods can be from any of them.
"""

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Final

import msgspec

# Stops that the search evaluates.
MAX_STEPS: Final = 1_500_000
Table = Sequence[Sequence[int | None]]
# Missing roads, lateness, and the time of the end. Orders are compared in this sequence.
Cost = tuple[int, int, int]
# Stops moved together, and stops of an order whose permutations are all tried.
MAX_MOVED: Final = 3
MAX_EXACT: Final = 7


class SortableStop(msgspec.Struct, frozen=True):
    """A stop whose work begins between `opens` and `closes`, and lasts `service` seconds."""

    is_pickup: bool
    service: int
    opens: int | None = None
    closes: int | None = None


class StopSorter:
    """Sorts stops by the seconds between them, from the begin of the work.

    `start_times` are the seconds from the driver's start to each stop, if the start is known.
    """

    def __init__(
        self,
        stops: Sequence[SortableStop],
        times: Table,
        begin: int,
        start_times: Sequence[int | None] | None = None,
    ) -> None:
        self._stops, self._times, self._begin = stops, times, begin
        self._start_times = start_times
        self._steps = 0
        pickups = [number for number, stop in enumerate(stops) if stop.is_pickup]
        self._pickups = [
            frozenset()
            if stop.is_pickup
            else frozenset(pickup for pickup in pickups if pickup < number)
            for number, stop in enumerate(stops)
        ]

    def sort(self) -> list[int]:
        """Return the numbers of the stops in the best sequence found.

        For a few stops it is optimal. The present sequence is kept if no other is better.
        """
        present = list(range(len(self._stops)))
        if len(present) <= MAX_EXACT:
            sequences = (list(sequence) for sequence in permutations(present))
            return min(filter(self._is_allowed, sequences), key=self.compute_cost)
        starts = [present, self._build_sequence()]
        return min((self._improve_sequence(start) for start in starts), key=self.compute_cost)

    def compute_cost(self, sequence: Sequence[int]) -> Cost:
        """Compute the cost of a sequence: missing roads, lateness, and the time of its end."""
        self._steps += len(sequence)
        clock, lateness, missing_roads = self._begin, 0, 0
        previous_stop: int | None = None
        for number in sequence:
            stop = self._stops[number]
            times = self._start_times if previous_stop is None else self._times[previous_stop]
            if times is not None:
                time = times[number]
                missing_roads += time is None
                clock += time or 0
            if stop.opens is not None:
                clock = max(clock, stop.opens)
            if stop.closes is not None:
                lateness += max(0, clock - stop.closes)
            clock += stop.service
            previous_stop = number
        return missing_roads, lateness, clock

    def _build_sequence(self) -> list[int]:
        """Build a sequence by appending the stop that costs least each time."""
        remaining_stops, sequence = set(range(len(self._stops))), list[int]()
        while remaining_stops:
            visited_stops = frozenset(sequence)
            stops = [number for number in remaining_stops if self._pickups[number] <= visited_stops]
            costs = ((self.compute_cost([*sequence, number]), number) for number in stops)
            sequence.append(min(costs)[1])
            remaining_stops.remove(sequence[-1])
        return sequence

    def _improve_sequence(self, sequence: list[int]) -> list[int]:
        """Move and reverse parts of a sequence while that makes it better."""
        cost, is_better = self.compute_cost(sequence), True
        while is_better and self._steps < MAX_STEPS:
            is_better = False
            for candidate in self._list_candidates(sequence):
                if self._steps >= MAX_STEPS:
                    break
                if not self._is_allowed(candidate):
                    continue
                candidate_cost = self.compute_cost(candidate)
                if candidate_cost < cost:
                    sequence, cost, is_better = candidate, candidate_cost, True
                    break
        return sequence

    def _list_candidates(self, sequence: list[int]) -> Iterator[list[int]]:
        """Yield the sequences with a few stops moved, and those with a part reversed."""
        count = len(sequence)
        for size in range(1, MAX_MOVED + 1):
            for first in range(count - size + 1):
                part = sequence[first : first + size]
                others = sequence[:first] + sequence[first + size :]
                for position in range(len(others) + 1):
                    if position != first:
                        yield [*others[:position], *part, *others[position:]]
        for first in range(count - 1):
            for end in range(first + 2, count + 1):
                yield [*sequence[:first], *reversed(sequence[first:end]), *sequence[end:]]

    def _is_allowed(self, sequence: Sequence[int]) -> bool:
        """Return whether all drop-offs come after their pickups."""
        self._steps += len(sequence)
        visited_stops = set[int]()
        for number in sequence:
            if not self._pickups[number] <= visited_stops:
                return False
            visited_stops.add(number)
        return True
