"""Weight and volume of items. Pure rules."""

from collections.abc import Iterable
from functools import reduce
from operator import add
from typing import Final

from pannier.fleet.capacity import Load
from pannier.payloads.models import Entity
from pannier.rates.measures import EXACT
from pannier.rates.shipment import measure_parcel

EMPTY_LOAD: Final = Load()


def measure_load(items: Iterable[Entity]) -> Load:
    """Add up the known weights and volumes of items, and count them."""
    return reduce(add, map(measure_item, items), EMPTY_LOAD)


def measure_item(item: Entity) -> Load:
    """Return the weight and volume of an item's pieces. Unknown values count as zero."""
    parcel = measure_parcel(item)
    weight, volume = parcel.total_weight, parcel.total_volume
    return Load(
        weight=EMPTY_LOAD.weight if weight is None else weight,
        volume=EMPTY_LOAD.volume if volume is None else volume.scaleb(-6, EXACT),
        items=parcel.quantity,
    )
