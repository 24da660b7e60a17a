"""Exact conversion of units."""

from collections.abc import Mapping
from decimal import Context, Decimal
from typing import Final

from pannier.payloads.models import LengthUnit, WeightUnit
from pannier.rates.models import DistanceUnit

# Enough digits for a product of three lengths, and for a sum of thousands of them.
EXACT: Final = Context(prec=200)

CENTIMETRES: Final[Mapping[LengthUnit, Decimal]] = {
    "mm": Decimal("0.1"),
    "cm": Decimal(1),
    "m": Decimal(100),
    "in": Decimal("2.54"),
    "ft": Decimal("30.48"),
    "yd": Decimal("91.44"),
}
KILOGRAMS: Final[Mapping[WeightUnit, Decimal]] = {
    "g": Decimal("0.001"),
    "kg": Decimal(1),
    "oz": Decimal("0.028349523125"),
    "lb": Decimal("0.45359237"),
}
# All of these are whole multiples of a tenth of a millimetre, the largest such unit.
TENTHS_OF_MILLIMETRES: Final[Mapping[DistanceUnit, int]] = {
    "m": 10_000,
    "km": 10_000_000,
    "ft": 3_048,
    "yd": 9_144,
    "mi": 16_093_440,
}
TENTHS_IN_A_METRE: Final = TENTHS_OF_MILLIMETRES["m"]
CUBIC_CENTIMETRES_IN_A_CUBIC_METRE: Final = 1_000_000


def to_centimetres(length: Decimal, unit: LengthUnit) -> Decimal:
    return EXACT.multiply(length, CENTIMETRES[unit])


def to_kilograms(weight: Decimal, unit: WeightUnit) -> Decimal:
    return EXACT.multiply(weight, KILOGRAMS[unit])


def format_number(number: Decimal) -> str:
    """Format a number without trailing zeros."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
