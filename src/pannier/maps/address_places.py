"""Find the city, country and postcode of a point, by boundaries and by the nearest places."""

import math
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

import shapely

from pannier.kit import geo
from pannier.maps import address_grid as grid
from pannier.maps.address_source import (
    CITY_KINDS,
    COUNTRY_LEVEL,
    BoundarySource,
    Coordinates,
    PlaceSource,
)
from pannier.maps.address_words import Names, fold

MUNICIPALITY_LEVEL: Final = 8
REGION_LEVEL: Final = 4
# Metres. A point belongs to the city that is nearest relative to its radius.
CITY_RADII: Final = {"city": 10_000, "town": 5_000, "municipality": 4_000, "village": 2_000}
MAX_CITY_METRES: Final = 30_000.0
SUBURB_METRES: Final = 1_500.0
MAX_SUBURBS: Final = 3
DEFAULT_POPULATIONS: Final = {
    "city": 200_000, "town": 20_000, "municipality": 5_000, "village": 2_000, "borough": 20_000,
    "suburb": 8_000, "quarter": 3_000, "neighbourhood": 1_500, "hamlet": 100,
}  # fmt: skip
MAX_POPULATION_EXPONENT: Final = 7


class Place(NamedTuple):
    """A place of the index. Its number is its position in the list of places."""

    number: int
    kind: str
    names: Names
    population: int
    point: Coordinates

    @property
    def importance(self) -> float:
        """The importance of the place, from 0 to 1."""
        population = self.population or DEFAULT_POPULATIONS[self.kind]
        return min(1.0, math.log10(max(population, 1)) / MAX_POPULATION_EXPONENT)


class Surroundings(NamedTuple):
    """The city, country and postcode of a point."""

    city: int | None
    country: str | None
    postal_code: str | None
    suburbs: tuple[int, ...]


class _Area(NamedTuple):
    level: int | None
    city: int | None
    country: str | None
    postal_code: str | None
    shape: Any


class PlaceFinder:
    """Finds a point's surroundings. It keeps places and simplified borders in memory."""

    def __init__(self, places: Iterable[PlaceSource], boundaries: Iterable[BoundarySource]) -> None:
        self.places = [Place(number, *place) for number, place in enumerate(places)]
        self._cities = _PlaceGrid(grid.PLACE_CELL, filter(_is_city, self.places))
        self._suburbs = _PlaceGrid(
            grid.AREA_CELL, (place for place in self.places if not _is_city(place))
        )
        self._numbers_by_name: dict[str, list[int]] = {}
        for place in self.places:
            self._index_names(place)
        self._areas = [self._to_area(border) for border in boundaries]
        self._tree = shapely.STRtree([area.shape for area in self._areas])
        shapely.prepare([area.shape for area in self._areas])

    @property
    def has_countries(self) -> bool:
        """Whether the extract has the complete border of a country."""
        return any(area.country is not None for area in self._areas)

    def find_surroundings(self, point: Coordinates) -> Surroundings:
        """Find the surroundings of a point."""
        areas = [
            self._areas[index]
            for index in self._tree.query(shapely.Point(point))
            if shapely.contains_xy(self._areas[index].shape, *point)
        ]
        areas.sort(key=lambda area: -(area.level or 0))
        city = next((area.city for area in areas if area.city is not None), None)
        return Surroundings(
            city=self._find_nearest_city(point) if city is None else city,
            country=next((area.country for area in areas if area.country), None),
            postal_code=next((area.postal_code for area in areas if area.postal_code), None),
            suburbs=tuple(self._find_suburbs(point)),
        )

    def find_city(self, name: str, point: Coordinates, metres: float) -> int | None:
        """Find the nearest city with this name within a distance."""
        places = self._list_places_by_name(name)
        return self._find_nearest(filter(_is_city, places), point, metres)

    def find_place(self, name: str, point: Coordinates, metres: float) -> int | None:
        """Find the nearest place with this name within a distance."""
        return self._find_nearest(self._list_places_by_name(name), point, metres)

    def _list_places_by_name(self, name: str) -> Iterator[Place]:
        return (self.places[number] for number in self._numbers_by_name.get(fold(name), ()))

    def _find_nearest(
        self, places: Iterable[Place], point: Coordinates, metres: float
    ) -> int | None:
        distances = ((_measure_distance(point, place.point), place.number) for place in places)
        nearby = (pair for pair in distances if pair[0] <= metres)
        return min(nearby, default=(0.0, None))[1]

    def _find_nearest_city(self, point: Coordinates) -> int | None:
        nearby = (
            (_measure_distance(point, place.point) / CITY_RADII[place.kind], place.number)
            for place in self._cities.list_near(point, MAX_CITY_METRES)
            if _measure_distance(point, place.point) <= MAX_CITY_METRES
        )
        return min(nearby, default=(0.0, None))[1]

    def _find_suburbs(self, point: Coordinates) -> Iterator[int]:
        nearby = sorted(
            (_measure_distance(point, place.point), place.number)
            for place in self._suburbs.list_near(point, SUBURB_METRES)
        )
        for metres, number in nearby[:MAX_SUBURBS]:
            if metres <= SUBURB_METRES:
                yield number

    def _to_area(self, border: BoundarySource) -> _Area:
        level = border.level
        is_city = level is not None and REGION_LEVEL <= level <= MUNICIPALITY_LEVEL
        return _Area(
            level=level,
            city=self._find_or_add_border_city(border) if is_city else None,
            country=border.country if level == COUNTRY_LEVEL else None,
            postal_code=border.postal_code,
            shape=border.shape,
        )

    def _find_or_add_border_city(self, border: BoundarySource) -> int | None:
        """Find the city inside a border that has its name. Add a municipality if it has no city."""
        places = {place for _, name in border.names for place in self._list_places_by_name(name)}
        cities = [
            place
            for place in places
            if _is_city(place) and shapely.contains_xy(border.shape, *place.point)
        ]
        if cities:
            return max(cities, key=lambda place: (place.importance, -place.number)).number
        if border.level != MUNICIPALITY_LEVEL or not border.names:
            return None
        point = border.shape.representative_point()
        place = Place(len(self.places), "municipality", border.names, 0, (point.x, point.y))
        self.places.append(place)
        self._cities.add(place)
        self._index_names(place)
        return place.number

    def _index_names(self, place: Place) -> None:
        for key in {fold(name) for _, name in place.names}:
            self._numbers_by_name.setdefault(key, []).append(place.number)


class _PlaceGrid:
    """Places by the cells of a grid."""

    def __init__(self, cell_size: int, places: Iterable[Place]) -> None:
        self._cell_size = cell_size
        self._cells: dict[int, list[Place]] = {}
        for place in places:
            self.add(place)

    def add(self, place: Place) -> None:
        """Add a place."""
        longitude, latitude = map(grid.to_micro, place.point)
        cell = grid.find_cell(longitude, latitude, self._cell_size)
        self._cells.setdefault(cell, []).append(place)

    def list_near(self, point: Coordinates, metres: float) -> Iterator[Place]:
        """List the places in the cells within a distance."""
        for first_cell, last_cell in grid.list_cell_ranges(
            geo.Point(*point), metres, self._cell_size
        ):
            for cell in range(first_cell, min(last_cell, first_cell + grid.MAX_CELLS) + 1):
                yield from self._cells.get(cell, ())


def _is_city(place: Place) -> bool:
    return place.kind in CITY_KINDS


def _measure_distance(start: Coordinates, end: Coordinates) -> float:
    return geo.metres(*start, *end)
