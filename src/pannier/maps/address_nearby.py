"""Find the address of a point: the nearest house, else the nearest street, else a place."""

from collections.abc import Iterable
from typing import Final

from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.maps.address_index import AddressIndex
from pannier.maps.address_results import AddressWriter, IndexedAddress

SECONDS: Final = 0.25
HOUSE_METRES: Final = 75.0
STREET_METRES: Final = 300.0
PLACE_METRES: Final = 15_000.0


def find_address(index: AddressIndex, point: Point) -> IndexedAddress | None:
    """Return the address of a point, or None if nothing is near. May raise SearchTooSlow."""
    index.start(SECONDS)
    writer = AddressWriter(index)
    houses = (
        (geo.distance(point, house.point), position, house)
        for position, house in enumerate(index.list_houses_near(point, HOUSE_METRES))
    )
    metres, _, house = min(houses, default=(HOUSE_METRES, 0, None))
    if house is not None and metres <= HOUSE_METRES:
        return writer.write_house(index.load_entries([house.entry])[0], "", house)
    street = _find_nearest(point, index.list_streets_near(point, STREET_METRES), STREET_METRES)
    if street is not None:
        entry, spot = street
        return writer.write_entry(index.load_entries([entry])[0], "", spot)
    place = _find_nearest(point, index.list_places_near(point, PLACE_METRES), PLACE_METRES)
    return None if place is None else writer.write_entry(index.load_entries([place[0]])[0], "")


def _find_nearest(
    point: Point, spots: Iterable[tuple[int, Point]], metres: float
) -> tuple[int, Point] | None:
    measured = ((geo.distance(point, spot), entry, position, spot)
                for position, (entry, spot) in enumerate(spots))  # fmt: skip
    nearest = min(measured, default=None)
    if nearest is None or nearest[0] > metres:
        return None
    return nearest[1], nearest[3]
