"""Sorting the stops of one order: never worse, and pickups stay before their drop-offs."""

from itertools import permutations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pannier.planning.stop_order import SortableStop, StopSorter


@st.composite
def stops(draw: st.DrawFn, most: int) -> tuple[list[SortableStop], list[list[int | None]]]:
    count = draw(st.integers(1, most))
    windows = st.none() | st.integers(0, 6_000)
    made = [
        SortableStop(draw(st.booleans()), 60, draw(windows), draw(windows)) for _ in range(count)
    ]
    choose = Random(draw(st.integers(0, 1_000)))
    times: list[list[int | None]] = [
        [0 if row == column else choose.randrange(60, 1_200) for column in range(count)]
        for row in range(count)
    ]
    return made, times


def is_in_order(made: list[SortableStop], order: list[int]) -> bool:
    """Whether every drop-off comes after the pickups that came before it."""
    return all(
        order.index(pickup) < order.index(drop)
        for drop, stop in enumerate(made)
        for pickup in range(drop)
        if made[pickup].is_pickup and not stop.is_pickup
    )


@given(drawn=stops(16))
def test_a_sorted_order_has_every_stop_once_and_is_never_worse(
    drawn: tuple[list[SortableStop], list[list[int | None]]],
) -> None:
    made, times = drawn
    sorter = StopSorter(made, times, 0)
    order = sorter.sort()
    assert sorted(order) == list(range(len(made)))
    assert is_in_order(made, order)
    assert sorter.compute_cost(order) <= sorter.compute_cost(range(len(made)))


@given(drawn=stops(6))
def test_a_few_stops_are_sorted_as_well_as_possible(
    drawn: tuple[list[SortableStop], list[list[int | None]]],
) -> None:
    made, times = drawn
    sorter = StopSorter(made, times, 0)
    orders = (list(order) for order in permutations(range(len(made))))
    least = min(sorter.compute_cost(order) for order in orders if is_in_order(made, order))
    assert sorter.compute_cost(sorter.sort()) == least
