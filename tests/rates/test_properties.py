"""What must be so of every price, whatever the rate and the shipment."""

from decimal import Decimal
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pannier.kit.money import MAX_AMOUNT
from pannier.rates.models import Band, MeterFee, PeakWindow, ServiceRate
from pannier.rates.pricing import Price, price_shipment
from pannier.rates.shipment import Shipment, ShipmentParcel
from pannier.routing.route import Route
from rates.draws import draw_parcels, draw_rate, draw_shipment
from rates.examples import priced, rate, shipment
from rates.reference import SERVICES

SEEDS = st.integers(0, 2**64)
LISTS = ("meter_fees", "drop_fees", "weight_fees", "volume_fees", "parcel_fees", "peak_windows")


def told(what: ServiceRate, for_: Shipment) -> Any:
    return price_shipment(what, for_, time_zone="Europe/Berlin", borders={})


@settings(deadline=None)
@given(SEEDS, st.sampled_from(list(SERVICES)))
def test_the_order_in_which_things_are_listed_changes_nothing(seed: int, method: str) -> None:
    random = Random(seed)
    one, asked = draw_rate(random, method), draw_shipment(random)
    turned = msgspec.structs.replace(
        one,
        **{
            name: random.sample(getattr(one, name), len(getattr(one, name)))
            for name in LISTS
            if name != "peak_windows"
        },
    )
    parcels = tuple(random.sample(asked.parcels, len(asked.parcels)))
    other = msgspec.structs.replace(asked, parcels=parcels)
    assert told(turned, other) == told(one, asked)
    windows = msgspec.structs.replace(turned, peak_windows=one.peak_windows[::-1])
    before, after = told(one, asked), told(windows, asked)
    assert getattr(before, "amount", None) == getattr(after, "amount", None)


def ascending(random: Random, count: int) -> list[int]:
    return sorted(random.randint(0, 5_000) for _ in range(count))


def growing(random: Random, method: str) -> ServiceRate:
    """A rate of which more costs more, or the same."""
    fees = ascending(random, 5)
    bands = [
        Band(Decimal(10 * n), Decimal(10 * n + 10), fee) for n, fee in enumerate(fees)
    ]  # fmt: skip
    given: dict[str, Any] = {
        "fixed_rate": {"meter_fees": [MeterFee(Decimal(n + 1), fee) for n, fee in enumerate(fees)]},
        "per_drop": {
            "drop_fees": [Band(Decimal(2 * n), Decimal(2 * n + 1), fees[n]) for n in range(5)]
        },
        "weight": {"weight_fees": bands},
        "volume": {"volume_fees": bands},
    }.get(method, {})
    return msgspec.structs.replace(draw_rate(random, method), open_ended=True, **given)


def more(random: Random, asked: Shipment, method: str) -> Shipment:
    """The same shipment, farther, heavier, or with another stop."""
    if method in {"weight", "volume", "parcel"}:
        return msgspec.structs.replace(
            asked, parcels=asked.parcels + tuple(draw_parcels(random))
        )  # fmt: skip
    if method == "per_drop":
        return msgspec.structs.replace(asked, stops=(*asked.stops, asked.stops[0]))
    farther = Route(asked.route.distance + random.randint(0, 20_000), asked.route.time)
    return msgspec.structs.replace(asked, route=farther)


@settings(deadline=None)
@given(SEEDS, st.sampled_from(list(SERVICES)))
def test_more_never_costs_less_where_fees_grow(seed: int, method: str) -> None:
    random = Random(seed)
    one, asked = growing(random, method), draw_shipment(random)
    little, much = told(one, asked), told(one, more(random, asked, method))
    if isinstance(little, Price) and isinstance(much, Price):
        assert much.amount >= little.amount


@settings(deadline=None)
@given(SEEDS, st.integers(0, 10**9), st.integers(0, 10**9))
def test_more_cash_never_costs_less_to_collect(seed: int, first: int, second: int) -> None:
    one = draw_rate(Random(seed), "fixed_rate")
    little, much = (
        told(one, shipment(distance=0, cod=True, cod_amount=cash))
        for cash in sorted((first, second))
    )
    assert little.amount <= much.amount


@settings(deadline=None)
@given(SEEDS, st.sampled_from(list(SERVICES)))
def test_a_price_lies_between_the_least_and_the_most_and_is_never_below_nothing(
    seed: int, method: str
) -> None:
    random = Random(seed)
    one = draw_rate(random, method)
    found = told(one, draw_shipment(random))
    if isinstance(found, Price):
        assert found.amount >= (one.minimum_fee or 0)
        assert found.amount <= (MAX_AMOUNT if one.maximum_fee is None else one.maximum_fee)
        assert found.amount == sum(line.amount for line in found.lines)
        assert found.lines
        assert all(type(line.amount) is int for line in found.lines)


# Of minor units everything is the same; only people read them differently.
@pytest.mark.parametrize(
    ("currency", "distance", "cash", "peak", "least"),
    [
        ("JPY", "80.5", "5000", "1250", "2000"),
        ("KRW", "80.5", "5000", "1250", "2000"),
        ("SGD", "0.805", "50.00", "12.50", "20.00"),
        ("EUR", "0.805", "50.00", "12.50", "20.00"),
        ("KWD", "0.0805", "5.000", "1.250", "2.000"),
        ("IQD", "0.0805", "5.000", "1.250", "2.000"),
        ("CLF", "0.00805", "0.5000", "0.1250", "0.2000"),
    ],
)
def test_minor_units_are_reckoned_alike_and_read_as_their_currency_has_it(
    currency: str, distance: str, cash: str, peak: str, least: str
) -> None:
    one = rate(
        currency=currency, rate_calculation_method="per_meter", base_fee=500,
        per_meter_flat_rate_fee=Decimal("80.5"), has_cod_fee=True, cod_percent=Decimal("2.5"),
        has_peak_hours_fee=True, peak_hours_start="00:00", peak_hours_end="00:00",
        peak_hours_percent=Decimal("12.5"), minimum_fee=2_000,
    )  # fmt: skip
    found = priced(one, shipment(distance=9_321, cod=True, cod_amount=5_000))
    assert [(line.amount, line.details) for line in found.lines] == [
        (500, "Base fee"),
        (750, f"9.321 km at {distance} {currency} per km"),
        (125, f"Cash on delivery, 2.5% of {cash} {currency}"),
        (156, f"Peak hours 00:00 to 00:00, 12.5% of {peak} {currency}"),
        (469, f"At least {least} {currency}"),
    ]
    assert found.amount == 2_000


@pytest.mark.parametrize(
    ("percent", "of", "amount"),
    [("0.5", 100, 1), ("0.49", 100, 0), ("1.5", 100, 2), ("2.5", 100, 3), ("33.333", 3, 1)],
)
def test_halves_are_rounded_up(percent: str, of: int, amount: int) -> None:
    one = rate(has_cod_fee=True, cod_percent=Decimal(percent))
    assert priced(one, shipment(cod=True, cod_amount=of)).amount == amount


def test_of_several_open_windows_the_dearest_counts() -> None:
    windows = [
        PeakWindow(start="08:00", end="20:00", flat_fee=100),
        PeakWindow(start="11:00", end="14:00", percent=Decimal(30)),
        PeakWindow(start="18:00", end="20:00", flat_fee=900),
    ]
    one = rate(base_fee=1_000, has_peak_hours_fee=True, peak_windows=windows)
    assert priced(one, shipment()).amount == 1_300


def test_a_formula_below_nothing_is_lifted_to_nothing() -> None:
    one = rate(rate_calculation_method="algorithm", algorithm="0 - distance_km * 100")
    found = priced(one, shipment(distance=5_000))
    assert [line.amount for line in found.lines] == [-500, 500]
    assert found.amount == 0


def test_a_formula_comes_on_top_of_the_base_fee_and_is_rounded_once() -> None:
    one = rate(
        rate_calculation_method="algorithm", base_fee=500,
        algorithm="max(distance_km, 3) * 80.5 + if(stops > 2, (stops - 2) * 150, 0)",
    )  # fmt: skip
    found = priced(one, shipment(distance=9_321))
    assert [(line.code, line.amount) for line in found.lines] == [
        ("BASE_FEE", 500), ("ALGORITHM_FEE", 750),
    ]  # fmt: skip


@pytest.mark.parametrize("variable", ["weight_kg", "volume_m3"])
def test_a_formula_does_not_guess_what_is_not_known(variable: str) -> None:
    one = rate(rate_calculation_method="algorithm", algorithm=f"{variable} * 10")
    assert (
        told(one, shipment(parcels=(ShipmentParcel(),))).code
        == f"{variable.partition('_')[0]}_unknown"
    )
    assert told(one, shipment()).code == f"{variable.partition('_')[0]}_unknown"


def test_a_price_beyond_what_can_be_kept_is_no_price() -> None:
    one = rate(rate_calculation_method="algorithm", algorithm="999999999999999999 * distance_km")
    assert told(one, shipment(distance=99_000)).code == "amount_too_large"
    two = rate(base_fee=MAX_AMOUNT, has_cod_fee=True, cod_flat_fee=1)
    assert told(two, shipment(cod=True, cod_amount=1)).code == "amount_too_large"
    three = rate(base_fee=MAX_AMOUNT, meter_fees=[MeterFee(Decimal(99), MAX_AMOUNT)])
    assert told(three, shipment()).code == "amount_too_large"


def test_a_rate_that_costs_nothing_says_so_in_a_line() -> None:
    assert [line.code for line in priced(rate(), shipment()).lines] == ["BASE_FEE"]
