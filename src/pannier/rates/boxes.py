"""Billable weights, and the boxes that items fit into. Pure rules."""

import operator
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

from pannier.rates.matching import NoPriceReason
from pannier.rates.measures import EXACT, to_centimetres, to_kilograms
from pannier.rates.models import ParcelFee
from pannier.rates.shipment import ShipmentParcel

_NO_LIMIT: Final = Decimal("Infinity")


class ParcelBox(NamedTuple):
    """A box, in centimetres and kilograms. The smallest sorts first."""

    volume: Decimal
    limit: Decimal
    fee: int
    size: str
    sides: tuple[Decimal, ...]


def compute_billable_weight(
    parcels: Sequence[ShipmentParcel], divisor: int | None
) -> Fraction | None:
    """Return the billable kilograms, or None if a weight is unknown or there are no items.

    With a divisor (cubic centimetres per kilogram), each piece counts by its weight or its volume,
    whichever is greater. A piece without a size counts by its weight.
    """
    total, weight_factor = Decimal(0), Decimal(divisor or 1)
    for parcel in parcels:
        weight, volume = parcel.total_weight, parcel.total_volume if divisor else None
        if weight is None:
            return None
        weight = EXACT.multiply(weight, weight_factor)
        total = EXACT.add(total, weight if volume is None else max(weight, volume))
    return Fraction(total) / (divisor or 1) if parcels else None


def pack_items(
    parcels: Sequence[ShipmentParcel], fees: Sequence[ParcelFee]
) -> list[tuple[ParcelBox, int]] | NoPriceReason:
    """Assign each piece the smallest box that it fits into in any rotation. Count the boxes."""
    boxes = sorted(_to_box(fee) for fee in fees)
    item_counts: Counter[tuple[tuple[Decimal, ...], Decimal | None]] = Counter()
    for parcel in parcels:
        sides = _sort_sides(parcel)
        if sides is None:
            return NoPriceReason("size_unknown", "The rate is per parcel, but an item has no size.")
        item_counts[sides, parcel.weight] += parcel.quantity
    box_counts: Counter[ParcelBox] = Counter()
    for (sides, weight), count in item_counts.items():
        box = next((box for box in boxes if _fits_box(sides, weight, box)), None)
        if box is None:
            return NoPriceReason("no_box_fits", "An item does not fit into any box of the rate.")
        box_counts[box] += count
    return sorted(box_counts.items())


def _sort_sides(parcel: ShipmentParcel) -> tuple[Decimal, ...] | None:
    if parcel.length is None or parcel.width is None or parcel.height is None:
        return None
    return tuple(sorted((parcel.length, parcel.width, parcel.height)))


def _fits_box(sides: Sequence[Decimal], weight: Decimal | None, box: ParcelBox) -> bool:
    if not all(map(operator.le, sides, box.sides)):
        return False
    # An item of unknown weight may be too heavy for any limit.
    return box.limit is _NO_LIMIT or (weight is not None and weight <= box.limit)


@lru_cache(maxsize=4096)
def _to_box(fee: ParcelFee) -> ParcelBox:
    lengths = (fee.length, fee.width, fee.height)
    sides = tuple(sorted(to_centimetres(length, fee.dimensions_unit) for length in lengths))
    volume = EXACT.multiply(EXACT.multiply(sides[0], sides[1]), sides[2])
    limit = _NO_LIMIT if fee.weight is None else to_kilograms(fee.weight, fee.weight_unit)
    return ParcelBox(volume, limit, fee.fee, fee.size, sides)
