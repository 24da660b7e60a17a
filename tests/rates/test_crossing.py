from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any
from uuid import UUID

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from pannier.kit.geo import Point, distance
from pannier.rates import crossing
from pannier.rates.matching import NoPriceReason
from pannier.rates.models import ZoneFee
from pannier.rates.pricing import CuttingBudget, Price, PriceLine, price_shipment
from rates.examples import priced, rate, shipment

INNER, OUTER, EAST = UUID(int=1), UUID(int=2), UUID(int=3)
FAR = UUID(int=4)


def square(west: float, south: float, east: float, north: float) -> Any:
    return shapely.box(west, south, east, north)


def fee(zone: UUID | None, amount: int = 100, **more: Any) -> ZoneFee:
    return ZoneFee(zone=zone, fee=Decimal(amount), **more)


BORDERS = {
    INNER: square(0, 0, 1, 1),
    OUTER: square(-1, -1, 2, 2),
    EAST: square(1, 0, 2, 1),
    FAR: square(50, 50, 51, 51),
}


def metres(
    stops: list[tuple[float, float]], length: int, *fees: ZoneFee
) -> list[tuple[ZoneFee, int]] | None:
    return crossing.apportion_distance([Point(*stop) for stop in stops], length, fees, BORDERS)


def test_a_way_is_cut_where_it_crosses_a_border() -> None:
    inner, east = fee(INNER), fee(EAST)
    assert metres([(0.5, 0.5), (1.5, 0.5)], 1_000, inner, east) == [(inner, 500), (east, 500)]
    assert metres([(1.5, 0.5), (0.75, 0.5)], 900, inner, east) == [(east, 600), (inner, 300)]


def test_a_zone_that_is_only_cut_at_a_corner_is_not_missed() -> None:
    inner, rest = fee(INNER), fee(None)
    found = metres([(-0.998, 1), (1, -0.998)], 10_000_000, inner, rest)
    assert found is not None
    assert dict(found)[inner] == pytest.approx(10_000_000 * 0.002 / 1.998, rel=0.001)


def test_the_highest_priority_counts_where_zones_overlap_and_of_equals_the_first() -> None:
    inner, outer, rest = fee(INNER, priority=1), fee(OUTER), fee(None, priority=9)
    way = [(-1.5, 0.5), (2.5, 0.5)]
    expected = [(rest, 1_000), (outer, 2_000), (inner, 1_000)]
    assert metres(way, 4_000, inner, outer, rest) == expected
    assert metres(way, 4_000, rest, outer, inner) == expected
    first, second = fee(INNER), fee(OUTER)
    assert metres([(0.2, 0.5), (0.8, 0.5)], 10, first, second) == [(first, 10)]
    assert metres([(0.2, 0.5), (0.8, 0.5)], 10, second, first) == [(second, 10)]


def test_a_piece_where_no_fee_holds_has_no_price() -> None:
    assert metres([(0.5, 0.5), (1.5, 0.5)], 1_000, fee(INNER)) is None
    found = price_shipment(
        rate(rate_calculation_method="multi_zone_distance", zone_fees=[fee(FAR)]),
        shipment(),
        time_zone="UTC",
        borders=BORDERS,
    )
    assert found == NoPriceReason(
        "outside_fee_zones", "The rate has no fee for a part of the route."
    )


def test_borders_of_very_many_vertices_are_not_crossed_very_often() -> None:
    round_ = shapely.Point(0, 0).buffer(1, quad_segs=2_500)
    rates = rate(rate_calculation_method="multi_zone_distance", zone_fees=[fee(INNER), fee(None)])
    turns = [Point(-2 + 4 * (number % 2), 0.0) for number in range(31)]
    aside = [Point(-2 + 4 * (number % 2), 50.0) for number in range(100)]
    borders = {INNER: round_}

    def judged(stops: list[Point]) -> Any:
        way = shipment(stops=tuple(stops), distance=1_000)
        return price_shipment(rates, way, time_zone="UTC", borders=borders)

    assert isinstance(judged(turns[:3] + aside), Price)
    refusal = judged(turns)
    assert isinstance(refusal, NoPriceReason)
    assert refusal.code == "too_complex"


def test_all_rates_of_a_quote_together_cut_ways_so_often_and_no_more() -> None:
    rates = rate(rate_calculation_method="multi_zone_distance", zone_fees=[fee(INNER), fee(None)])
    way = shipment(stops=(Point(-0.5, 0.5), Point(1.5, 0.5)), distance=1_000)
    cutting = CuttingBudget(vertices=12)
    found = [
        price_shipment(rates, way, time_zone="UTC", borders=BORDERS, cutting=cutting)
        for _ in range(4)
    ]
    assert [isinstance(each, Price) for each in found] == [True, True, False, False]
    assert [each.code for each in found if isinstance(each, NoPriceReason)] == ["too_complex"] * 2


def test_what_is_too_much_work_is_counted_no_further() -> None:
    """Anybody in a shop may ask for twenty stops through a hundred zones."""
    zones = [UUID(int=number) for number in range(1, 101)]
    borders = {zone: shapely.Point(0, 0).buffer(1, quad_segs=100) for zone in zones}
    turns = [Point(-2 + 4 * (number % 2), 0.0) for number in range(20)]
    each = len(borders[zones[0]].exterior.coords)
    found = crossing.measure_work(
        turns, [fee(zone) for zone in zones], borders, crossing.CuttingWork(1_000, 1_000)
    )
    assert 1_000 < found.vertices <= 1_000 + each
    found = crossing.measure_work(
        turns, [fee(zone) for zone in zones], borders, crossing.CuttingWork(10**6, 10)
    )
    assert 10 < found.crossings <= 14


def comb(teeth: int) -> Any:
    """Draw a border that a way from west to east enters and leaves as often as it has teeth."""
    edges = np.linspace(0, 1, 2 * teeth + 1)
    corners = [(x, y) for at, x in enumerate(edges) for y in ((1, -1) if at % 2 else (-1, 1))]
    return shapely.Polygon([(0, -2), *corners, (1, -2)])


@pytest.mark.parametrize(("teeth", "allowed"), [(900, True), (1_100, False)])
def test_a_jagged_border_is_not_cut_into_thousands_of_pieces(teeth: int, *, allowed: bool) -> None:
    fees = [fee(INNER), fee(None)]
    stops, borders = (Point(-0.5, 0.0), Point(1.5, 0.01)), {INNER: comb(teeth)}
    crossed = crossing.measure_work(
        stops, fees, borders, crossing.CuttingWork(10**6, 10**6)
    ).crossings
    assert crossed == pytest.approx(2 * teeth, abs=2)
    jagged = rate(rate_calculation_method="multi_zone_distance", zone_fees=fees)
    found = price_shipment(jagged, shipment(stops=stops), time_zone="UTC", borders=borders)
    assert isinstance(found, Price if allowed else NoPriceReason)


def test_a_zone_that_is_gone_holds_nothing() -> None:
    rest = fee(None)
    assert metres([(0.5, 0.5), (1.5, 0.5)], 9, fee(UUID(int=99), priority=1), rest) == [(rest, 9)]


def test_two_zones_that_miss_each_other_by_a_hand_leave_no_gap() -> None:
    near = UUID(int=5)
    borders = BORDERS | {near: square(1.000004, 0, 2, 1)}
    fees = [fee(INNER), fee(near)]
    found = crossing.apportion_distance([Point(0.5, 0.5), Point(1.5, 0.5)], 1_000, fees, borders)
    assert found == [(fees[0], 500), (fees[1], 500)]


def test_a_zone_of_which_less_than_half_a_metre_is_used_gets_no_line() -> None:
    inner, east = fee(INNER), fee(EAST)
    assert metres([(0.5, 0.5), (1.0000001, 0.5)], 1_000, inner, east) == [(inner, 1_000)]


def test_a_way_there_and_back_counts_twice() -> None:
    inner, rest = fee(INNER), fee(None)
    found = metres([(0.5, 0.5), (1.5, 0.5), (0.5, 0.5)], 1_000, inner, rest)
    assert found == [(inner, 500), (rest, 500)]


def test_a_way_that_goes_nowhere_belongs_where_it_is() -> None:
    inner, rest = fee(INNER), fee(None)
    assert metres([(0.5, 0.5), (0.5, 0.5)], 700, inner, rest) == [(inner, 700)]
    assert metres([(5, 5), (5, 5)], 0, inner, rest) == [(rest, 0)]
    assert metres([(5, 5), (5, 5)], 10, inner) is None


def test_a_way_shorter_than_any_length_belongs_where_it_is() -> None:
    inner, rest = fee(INNER), fee(None)
    assert metres([(0, 0), (1e-200, 0)], 0, rest) == [(rest, 0)]
    assert metres([(0, 0), (1e-200, 0)], 700, inner, rest) == [(inner, 700)]
    assert metres([(0, 60), (0, 60), (1e-200, 60)], 10, inner) is None


def test_a_way_along_a_border_is_inside() -> None:
    inner = fee(INNER)
    assert metres([(0.2, 0), (0.9, 0)], 70, inner) == [(inner, 70)]


def test_a_way_over_the_180th_meridian_does_not_go_around_the_world() -> None:
    west, east = UUID(int=6), UUID(int=7)
    borders = {west: square(179, -20, 180, -10), east: square(-180, -20, -179, -10)}
    fees = [fee(west), fee(east)]
    for there in ([179.5, -179.5], [-179.5, 179.5]):
        found = crossing.apportion_distance([Point(x, -15) for x in there], 1_000, fees, borders)
        assert found is not None
        assert sorted(part for _, part in found) == [500, 500]


@pytest.mark.parametrize("there", [[180, -179], [-180, 179], [180, -180], [180, 180]])
def test_a_way_that_begins_on_the_180th_meridian_is_one_like_others(there: list[float]) -> None:
    rest = fee(None)
    stops = [Point(there[0], -15.1), Point(there[1], -15.7)]
    world = {INNER: square(-180, -15.3, 180, -15.2)}
    found = crossing.apportion_distance(stops, 600, [fee(INNER), rest], world)
    assert found is not None
    assert sorted(part for _, part in found) == [100, 500]


def test_each_zone_is_a_line_rounded_once() -> None:
    zones = rate(
        rate_calculation_method="multi_zone_distance",
        base_fee=100,
        zone_fees=[fee(INNER, 33, label="Centre"), fee(None, 50)],
    )
    way = shipment(distance=5_010, stops=(Point(0.5, 0.5), Point(1.5, 0.5)))
    found = priced(zones, way, borders=BORDERS)
    assert found.lines == (
        PriceLine("BASE_FEE", "Base fee", 100),
        PriceLine("MULTI_ZONE_DISTANCE_FEE", "Centre: 2.505 km at 0.33 SGD per km", 83),
        PriceLine("MULTI_ZONE_DISTANCE_FEE", "2.505 km at 0.50 SGD per km", 125),
    )


@settings(deadline=None)
@given(seed=st.integers(0, 2**64))
def test_a_way_along_a_meridian_is_shared_out_as_plain_fractions_say(seed: int) -> None:
    """There degrees are metres, so that the shares of bands of latitude are known exactly."""
    random = Random(seed)
    ends = sorted(random.sample(range(-40, 40), 6))
    bands = {UUID(int=n): pair for n, pair in enumerate(pairwise(ends), 1)}
    borders = {name: square(-1, low, 1, high) for name, (low, high) in bands.items()}
    fees = [fee(name) for name in bands] + [fee(None)]
    random.shuffle(fees)
    halves = [random.randint(-90, 90) for _ in range(random.randint(2, 5))]
    halves = [one for one, other in pairwise([*halves, 999]) if one != other]
    length = random.randint(0, 5_000_000)
    expected: dict[UUID | None, Fraction] = {}
    whole = sum(abs(there - here) for here, there in pairwise(halves))
    if not whole:
        return
    for here, there in pairwise(halves):
        low, high = min(here, there), max(here, there)
        rest = Fraction(high - low)
        for name, (south, north) in bands.items():
            inside = max(0, min(high, 2 * north) - max(low, 2 * south))
            expected[name] = expected.get(name, Fraction(0)) + inside
            rest -= inside
        expected[None] = expected.get(None, Fraction(0)) + rest
    stops = [Point(0.0, half / 2) for half in halves]
    found = crossing.apportion_distance(stops, length, fees, borders)
    assert found is not None
    assert sum(part for _, part in found) == length
    got = {one.zone: part for one, part in found}
    for name, share in expected.items():
        # Ends are rounded: each piece may be a metre off.
        assert abs(got.get(name, 0) - share * length / whole) <= len(halves) + 1


@settings(deadline=None)
@given(seed=st.integers(0, 2**64))
def test_a_way_through_ragged_zones_is_shared_out_as_a_thousand_samples_say(seed: int) -> None:
    random = Random(seed)
    borders = {}
    for number in range(1, 4):
        middle = (random.uniform(0, 0.2), random.uniform(0, 0.2))
        turns = sorted(random.uniform(0, 2 * np.pi) for _ in range(12))
        corners = [
            (
                middle[0] + random.uniform(0.02, 0.1) * np.cos(turn),
                middle[1] + random.uniform(0.02, 0.1) * np.sin(turn),
            )
            for turn in turns
        ]
        shape = shapely.Polygon(corners).buffer(0)
        shapely.prepare(shape)
        borders[UUID(int=number)] = shape
    fees = [fee(name, priority=random.randint(0, 9)) for name in borders] + [fee(None)]
    stops = [Point(random.uniform(0, 0.2), random.uniform(0, 0.2)) for _ in range(3)]
    found = crossing.apportion_distance(stops, 100_000, fees, borders)
    assert found is not None
    assert sum(part for _, part in found) == 100_000
    got = {one.zone: part for one, part in found}
    sampled = samples(stops, fees, borders)
    for one in fees:
        assert got.get(one.zone, 0) == pytest.approx(sampled.get(one.zone, 0), abs=1_500)
    back = crossing.apportion_distance(stops[::-1], 100_000, fees, borders)
    assert back is not None
    again = {one.zone: part for one, part in back}
    assert all(abs(again.get(name, 0) - part) < 40 for name, part in got.items())


def samples(
    stops: list[Point], fees: list[ZoneFee], borders: dict[UUID, Any]
) -> dict[UUID | None, float]:
    """Share 100 km out by asking a thousand points of each leg where they are."""
    ordered = sorted(fees[:-1], key=lambda one: -one.priority)
    legs = list(pairwise(stops))
    whole = sum(distance(*leg) for leg in legs)
    found: dict[UUID | None, float] = {}
    for start, end in legs:
        along = (np.arange(1000) + 0.5) / 1000
        spots = shapely.points(
            start.longitude + along * (end.longitude - start.longitude),
            start.latitude + along * (end.latitude - start.latitude),
        )
        free = np.ones(1000, dtype=bool)
        each = 100_000 * distance(start, end) / whole / 1000
        for one in ordered:
            inside = free & shapely.covers(borders[one.zone], spots)
            found[one.zone] = found.get(one.zone, 0) + each * int(inside.sum())
            free &= ~inside
        found[None] = found.get(None, 0) + each * int(free.sum())
    return found
