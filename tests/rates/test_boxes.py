from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from pannier.rates.boxes import compute_billable_weight, pack_items
from pannier.rates.matching import NoPriceReason
from pannier.rates.models import ParcelFee
from pannier.rates.shipment import ShipmentParcel, to_parcel


def box(size: str, sides: tuple[Any, Any, Any], **more: Any) -> ParcelFee:
    length, width, height = (Decimal(side) for side in sides)
    return ParcelFee(
        **{"size": size, "length": length, "width": width, "height": height, "fee": 1} | more
    )


LETTER = box("letter", (35, 25, 2), weight=Decimal(500), weight_unit="g")
SMALL = box("small", (20, 20, 20), weight=Decimal(5))
LARGE = box("large", (20, 20, 20), dimensions_unit="in", weight=Decimal(50), weight_unit="lb")


def sizes(*parcels: ShipmentParcel) -> dict[str, int] | str:
    found = pack_items(parcels, [LARGE, SMALL, LETTER])
    if isinstance(found, NoPriceReason):
        return found.code
    return {box.size: count for box, count in found}


@pytest.mark.parametrize(
    ("sides", "weight", "size"),
    [
        ((2, 25, 35), "0.5", "letter"),
        ((25, 35, 2), "0.501", "large"),
        ((2, 20, 20), "0.5", "letter"),
        ((20, 20, 20), "5", "small"),
        ((20, 20, 20), "5.001", "large"),
        ((20, 20, "20.1"), "5", "large"),
        (("50.8", "50.8", "50.8"), "22.6796185", "large"),
    ],
)
def test_an_item_goes_into_the_smallest_box_that_holds_it_however_it_is_turned(
    sides: tuple[Any, Any, Any], weight: str, size: str
) -> None:
    length, width, height = sides
    item = to_parcel(length=length, width=width, height=height, weight=weight)
    assert sizes(item) == {size: 1}


def test_an_item_that_fits_nowhere_or_is_not_measured_has_no_price() -> None:
    assert sizes(to_parcel(length=51, width=1, height=1, weight=1)) == "no_box_fits"
    assert sizes(to_parcel(length=1, width=1, height=1, weight=23)) == "no_box_fits"
    assert sizes(to_parcel(length=1, width=1, height=1)) == "no_box_fits"
    assert sizes(to_parcel(length=1, width=1, weight=1)) == "size_unknown"


def test_boxes_of_a_size_are_counted() -> None:
    cube = to_parcel(length=20, width=20, height=20, weight=1)
    paper = to_parcel(length=30, width=20, height=1, weight="0.2")
    assert sizes(cube, paper, cube) == {"letter": 1, "small": 2}


def test_items_that_are_alike_are_fitted_once() -> None:
    compared: list[Decimal] = []

    class Side(Decimal):
        def __le__(self, room: Any) -> bool:
            compared.append(room)
            return super().__le__(room)

    items = [
        ShipmentParcel(length=Side(20), width=Side(20), height=Side(20), weight=Decimal(1))
    ] * 1000
    assert sizes(*items) == {"small": 1000}
    assert 0 < len(compared) <= 9


@pytest.mark.parametrize(
    ("parcels", "divisor", "kilograms"),
    [
        ((), None, None),
        ((to_parcel(weight=2), to_parcel(weight="0.5")), None, Fraction(5, 2)),
        ((to_parcel(weight=2, length=50, width=40, height=30),), None, 2),
        ((to_parcel(weight=2, length=50, width=40, height=30),), 5_000, 12),
        ((to_parcel(weight=20, length=50, width=40, height=30),), 5_000, 20),
        (
            (to_parcel(weight=2, length=10, width=10, height=10), to_parcel(weight=1)),
            300,
            Fraction(13, 3),
        ),
        ((to_parcel(weight=2), to_parcel(length=1, width=1, height=1)), 5_000, None),
    ],
)
def test_an_item_is_billed_by_its_weight_or_by_its_volume(
    parcels: tuple[ShipmentParcel, ...], divisor: int | None, kilograms: Any
) -> None:
    assert compute_billable_weight(parcels, divisor) == kilograms
