"""The capacity of a vehicle for a load. Pure rules."""

from collections.abc import Iterator
from decimal import Context, Decimal
from typing import Final, Literal, NamedTuple, Self

import msgspec

from pannier.fleet.models import Capacity

Measure = Literal["weight", "volume", "items"]
UNITS: Final[dict[Measure, str]] = {"weight": "kg", "volume": "m³", "items": "items"}
_ZERO: Final = Decimal(0)
# Enough digits for a sum of thousands of volumes.
_EXACT: Final = Context(prec=200)


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """Goods: kilograms, cubic metres and pieces. Unknown measures of an item count as zero."""

    weight: Decimal = _ZERO
    volume: Decimal = _ZERO
    items: int = 0

    def __add__(self, other: Self) -> Self:
        return type(self)(
            weight=_EXACT.add(self.weight, other.weight),
            volume=_EXACT.add(self.volume, other.volume),
            items=self.items + other.items,
        )


class Excess(NamedTuple):
    """A measure in which a load exceeds a vehicle's capacity."""

    measure: Measure
    load: Decimal
    limit: Decimal


def fits(load: Load, capacity: Capacity) -> bool:
    """Return whether a vehicle can carry a load at once."""
    return not any(list_excesses(load, capacity))


def list_excesses(load: Load, capacity: Capacity) -> Iterator[Excess]:
    """Yield the measures in which a load exceeds a vehicle's capacity."""
    for measure in UNITS:
        limit = getattr(capacity, measure)
        # Through Decimal, so that 0.1 + 0.2 kg fit into 0.3 kg.
        if limit is not None and getattr(load, measure) > Decimal(str(limit)):
            yield Excess(measure, Decimal(getattr(load, measure)), Decimal(str(limit)))
