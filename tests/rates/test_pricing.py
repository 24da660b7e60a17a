from decimal import Decimal
from typing import Any

import pytest

from pannier.rates.matching import NoPriceReason
from pannier.rates.models import MeterFee
from pannier.rates.pricing import PriceLine, price_shipment
from rates.examples import priced, rate, shipment


def test_each_line_says_what_it_is_for_and_the_price_is_their_sum() -> None:
    dear = rate(
        rate_calculation_method="per_meter", base_fee=500, per_meter_flat_rate_fee=Decimal(80),
        has_cod_fee=True, cod_calculation_method="percentage", cod_percent=Decimal(2),
        has_peak_hours_fee=True, peak_hours_percent=Decimal(12), peak_hours_start="17:00",
        peak_hours_end="22:00", timezone="Asia/Singapore",
    )  # fmt: skip
    found = priced(dear, shipment(cod=True, cod_amount=5_000))
    assert found.lines == (
        PriceLine("BASE_FEE", "Base fee", 500),
        PriceLine("DISTANCE_FEE", "9.321 km at 0.80 SGD per km", 746),
        PriceLine("COD_FEE", "Cash on delivery, 2% of 50.00 SGD", 100),
        PriceLine("PEAK_HOUR_FEE", "Peak hours 17:00 to 22:00, 12% of 12.46 SGD", 150),
    )
    assert found.amount == 1_496


TIERS = [MeterFee(Decimal(10), 900), MeterFee(Decimal(5), 500), MeterFee(Decimal("7.5"), 700)]


@pytest.mark.parametrize(
    ("metres", "fee"), [(0, 500), (5_000, 500), (5_001, 700), (7_500, 700), (10_000, 900)]
)
def test_a_fixed_rate_takes_the_first_distance_that_the_way_does_not_exceed(
    metres: int, fee: int
) -> None:
    fixed = rate(base_fee=100, meter_fees=TIERS)
    assert priced(fixed, shipment(distance=metres)).amount == 100 + fee


def test_beyond_the_last_distance_there_is_no_price_unless_it_is_open_ended() -> None:
    far = shipment(distance=10_001)
    refusal = price_shipment(rate(meter_fees=TIERS), far, time_zone="UTC", borders={})
    assert isinstance(refusal, NoPriceReason)
    assert refusal.code == "beyond_last_tier"
    assert priced(rate(meter_fees=TIERS, open_ended=True), far).amount == 900


@pytest.mark.parametrize(
    ("unit", "metres", "rounding", "amount"),
    [
        ("m", 7, "exact", 700),
        ("km", 1_005, "exact", 101),
        ("km", 1_004, "exact", 100),
        ("km", 1_001, "started_unit", 200),
        ("km", 1_000, "started_unit", 100),
        ("km", 0, "started_unit", 0),
        ("ft", 3, "exact", 984),
        ("yd", 3, "exact", 328),
        ("mi", 8_047, "exact", 500),
        ("mi", 8_047, "started_unit", 600),
    ],
)
def test_a_way_is_priced_in_the_rates_unit(
    unit: Any, metres: int, rounding: Any, amount: int
) -> None:
    by_length = rate(
        rate_calculation_method="per_meter", per_meter_flat_rate_fee=Decimal(100),
        per_meter_unit=unit, distance_rounding=rounding,
    )  # fmt: skip
    assert priced(by_length, shipment(distance=metres)).amount == amount
