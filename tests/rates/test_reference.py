"""Prices against a reference in plain fractions, on thousands of shipments."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pannier.rates.checks import list_faults
from pannier.rates.pricing import Price, price_shipment
from rates.draws import ZONES, draw_rate, draw_shipment
from rates.reference import SERVICES, lines

SEEDS = st.integers(0, 2**64)


@pytest.mark.slow
@pytest.mark.parametrize("method", SERVICES)
@settings(deadline=None)
@given(seed=SEEDS)
def test_a_price_is_what_plain_fractions_say_line_by_line(method: str, seed: int) -> None:
    random = Random(seed)
    rate = draw_rate(random, method)
    assert list_faults(rate) == []
    for _ in range(12):
        shipment, zone = draw_shipment(random), random.choice(ZONES)
        expected = lines(rate, shipment, zone)
        found = price_shipment(rate, shipment, time_zone=zone, borders={})
        got = None
        if isinstance(found, Price):
            got = [(line.code, line.amount) for line in found.lines]
            assert found.amount == sum(line.amount for line in found.lines) >= 0
        assert got == expected, (rate, shipment, found)
