"""What fits into a vehicle."""

from decimal import Decimal

import pytest

from pannier.fleet.capacity import Load, fits, list_excesses
from pannier.fleet.models import Capacity


def kilograms(text: str) -> Load:
    return Load(weight=Decimal(text), items=1)


def test_a_vehicle_without_limits_carries_everything() -> None:
    assert fits(Load(weight=Decimal(10**9), volume=Decimal(10**9), items=10**9), Capacity())


def test_a_load_fits_up_to_the_limit() -> None:
    van = Capacity(weight=800, volume=4.5, items=20)
    assert fits(Load(weight=Decimal(800), volume=Decimal("4.5"), items=20), van)


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        (Load(weight=Decimal("800.001")), ["weight"]),
        (Load(volume=Decimal("4.6"), items=21), ["volume", "items"]),
    ],
)
def test_each_excess_is_named(load: Load, expected: list[str]) -> None:
    van = Capacity(weight=800, volume=4.5, items=20)
    assert [excess.measure for excess in list_excesses(load, van)] == expected


def test_loads_add_up_exactly() -> None:
    load = kilograms("0.1") + kilograms("0.2")
    assert load == Load(weight=Decimal("0.3"), items=2)
    assert fits(load, Capacity(weight=0.3))


def test_a_capacity_of_zero_carries_nothing() -> None:
    assert not fits(Load(items=1), Capacity(items=0))
