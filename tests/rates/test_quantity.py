"""An item of several pieces costs what as many items of one piece cost."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from pannier.kit.geo import Point
from pannier.rates.boxes import compute_billable_weight
from pannier.rates.models import Band, ParcelFee, SurchargeRule
from pannier.rates.quotes.signing import fingerprint_shipment
from pannier.rates.shipment import Shipment, to_parcel
from pannier.routing.route import Route
from rates.examples import priced, rate, shipment

CRATE = {"length": 60, "width": 40, "height": 30, "weight": "7.25"}
BAND = Band(min=Decimal(0), max=Decimal(1000), fee=900)


@pytest.mark.parametrize(
    "method",
    [
        {"rate_calculation_method": "weight", "weight_fees": [BAND], "volumetric_divisor": 5000},
        {"rate_calculation_method": "volume", "volume_fees": [BAND]},
        {
            "rate_calculation_method": "parcel",
            "parcel_fees": [
                ParcelFee(
                    size="crate", length=Decimal(60), width=Decimal(60), height=Decimal(60), fee=700
                )
            ],
        },
        {
            "rate_calculation_method": "algorithm",
            "algorithm": "items * 100 + weight_kg * 10 + volume_m3 * 1000",
        },
        {
            "base_fee": 100,
            "surcharges": [
                SurchargeRule(kind="oversize", name="Long", flat_fee=50, over_length=Decimal(50))
            ],
        },
    ],
    ids=lambda method: str(method.get("rate_calculation_method", "surcharge")),
)
def test_three_pieces_cost_what_three_items_cost(method: dict[str, Any]) -> None:
    tariff = rate(**method)
    one, three = to_parcel(**CRATE), to_parcel(**CRATE, quantity=3)
    found = priced(tariff, shipment(parcels=(three, one)))
    assert found == priced(tariff, shipment(parcels=(one,) * 4))


def test_a_piece_counts_by_its_weight_or_its_volume() -> None:
    pillow, coin = to_parcel(**CRATE, quantity=2), to_parcel(weight=3, quantity=5)
    assert compute_billable_weight((pillow, coin), 5000) == Decimal("28.8") + 15
    assert compute_billable_weight((pillow, coin), None) == Decimal("14.5") + 15


def test_quantities_change_the_fingerprint_and_one_piece_has_that_of_earlier_releases() -> None:
    def fingerprint(*quantities: int) -> str:
        parcels = (
            to_parcel(length=10, width=20, height=30, weight=2, quantity=quantities[0]),
            to_parcel(weight="0.5", quantity=quantities[1]),
        )
        return fingerprint_shipment(
            Shipment(
                effective_at=datetime(2026, 1, 15, tzinfo=UTC),
                stops=(Point(103.0, 1.0), Point(103.5, 1.5)),
                parcels=parcels,
                route=Route(1000, 100),
                declared_values=((500, None),),
            )
        ).hex()

    assert fingerprint(1, 1) == "7d136af58437d9861380118c375b2b0f"
    assert len({fingerprint(1, 1), fingerprint(1, 2), fingerprint(2, 1), fingerprint(2, 2)}) == 4
