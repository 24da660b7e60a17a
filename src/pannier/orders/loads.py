"""Weight and volume of items. Pure rules."""

from collections.abc import Iterable
from functools import reduce
from operator import add
from typing import Final

from pannier.fleet.capacity import Load
from pannier.payloads.models import Entity
from pannier.rates.measures import EXACT
from pannier.rates.shipment import to_parcel

EMPTY_LOAD: Final = Load()


def measure_load(items: Iterable[Entity]) -> Load:
    """Add up the known weights and volumes of items, and count them."""
    return reduce(add, map(measure_item, items), EMPTY_LOAD)


def measure_item(item: Entity) -> Load:
    """Return an item's weight and volume. Unknown values count as zero."""
    parcel = to_parcel(
        length=item.length,
        width=item.width,
        height=item.height,
        dimensions_unit=item.dimensions_unit,
        weight=item.weight,
        weight_unit=item.weight_unit,
    )
    volume = parcel.volume
    return Load(
        weight=parcel.weight or EMPTY_LOAD.weight,
        volume=EMPTY_LOAD.volume if volume is None else volume.scaleb(-6, EXACT),
        items=1,
    )
