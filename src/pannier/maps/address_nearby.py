"""Find the address of a point: the nearest house, or else the nearest street or place."""

from collections.abc import Iterable
from typing import Final

from pannier.kit import geo
from pannier.kit.geo import Point
from pannier.maps.address_index import AddressIndex
from pannier.maps.address_results import AddressFormatter, IndexedAddress

TIME_LIMIT_SECONDS: Final = 0.25
HOUSE_METRES: Final = 75.0
STREET_METRES: Final = 300.0
PLACE_METRES: Final = 15_000.0


def find_address(index: AddressIndex, point: Point) -> IndexedAddress | None:
    """Find the address of a point. Return None if nothing is near. It can raise SearchTooSlow."""
    index.start_search(TIME_LIMIT_SECONDS)
    formatter = AddressFormatter(index)
    houses = (
        (geo.distance(point, house.point), position, house)
        for position, house in enumerate(index.list_houses_near(point, HOUSE_METRES))
    )
    metres, _, house = min(houses, default=(HOUSE_METRES, 0, None))
    if house is not None and metres <= HOUSE_METRES:
        return formatter.format_house(index.load_entries([house.entry])[0], "", house)
    street = _find_nearest(point, index.list_streets_near(point, STREET_METRES), STREET_METRES)
    if street is not None:
        entry, street_point = street
        return formatter.format_entry(index.load_entries([entry])[0], "", street_point)
    place = _find_nearest(point, index.list_places_near(point, PLACE_METRES), PLACE_METRES)
    return None if place is None else formatter.format_entry(index.load_entries([place[0]])[0], "")


def _find_nearest(
    point: Point, candidates: Iterable[tuple[int, Point]], metres: float
) -> tuple[int, Point] | None:
    distances = (
        (geo.distance(point, entry_point), entry, position, entry_point)
        for position, (entry, entry_point) in enumerate(candidates)
    )
    nearest = min(distances, default=None)
    if nearest is None or nearest[0] > metres:
        return None
    return nearest[1], nearest[3]
