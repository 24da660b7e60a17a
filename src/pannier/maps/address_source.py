"""Read the objects of an address index from an OpenStreetMap extract, one by one."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import shapely

from pannier.maps.address_words import SEARCH_ONLY, Names
from pannier.maps.programs import import_osmium

# Degrees, about 30 metres. Borders are simplified to save memory.
BORDER_TOLERANCE: Final = 0.0003
MAX_NAMES: Final = 12
MAX_CITY_NAMES: Final = 150
MAX_NAME_LENGTH: Final = 200
CITY_KINDS: Final = ("city", "town", "village", "municipality")
PLACE_KINDS: Final = frozenset(
    {*CITY_KINDS, "borough", "suburb", "quarter", "neighbourhood", "hamlet"}
)
ROADS: Final = frozenset({
    "motorway", "trunk", "primary", "secondary", "tertiary", "unclassified", "residential",
    "living_street", "service", "pedestrian", "track", "road", "footway", "path", "cycleway",
    "bridleway", "steps", "motorway_link", "trunk_link", "primary_link", "secondary_link",
    "tertiary_link", "busway",
})  # fmt: skip
BOUNDARIES: Final = frozenset({"administrative", "postal_code"})
COUNTRY_LEVEL: Final = 2
ISO_TAGS: Final = ("ISO3166-1:alpha2", "ISO3166-1", "country_code_iso3166_1_alpha_2")
LANGUAGE_PATTERN: Final = re.compile(r"name:([a-z]{2,3}(?:-[A-Za-z]{2,8})?)")
OTHER_NAMES: Final = ("alt_name", "loc_name", "short_name", "official_name", "old_name", "int_name")
Tags = dict[str, str]
Coordinates = tuple[float, float]
# The rank of an object with a house number. The lowest rank of a number wins.
Rank = Literal[0, 1, 2]


class HouseSource(NamedTuple):
    """A house number with its address tags."""

    rank: Rank
    number: str
    street: str | None
    place: str | None
    city: str | None
    postal_code: str | None
    country: str | None
    point: Coordinates


class StreetSource(NamedTuple):
    """A part of a street, or a square."""

    names: Names
    points: tuple[Coordinates, ...]


class PlaceSource(NamedTuple):
    """A city, village or suburb."""

    kind: str
    names: Names
    population: int
    point: Coordinates


class BoundarySource(NamedTuple):
    """The area of an administration or a postcode, with its simplified border."""

    level: int | None
    names: Names
    postal_code: str | None
    country: str | None
    shape: Any


class CountrySource(NamedTuple):
    """A country, whose border may be incomplete in an extract."""

    code: str
    names: Names


SourceItem = CountrySource | HouseSource | StreetSource | PlaceSource | BoundarySource


class _RelationFilter:
    """Selects the relations whose areas are needed."""

    def relation(self, relation: Any) -> bool:  # noqa: ANN401 - an object of osmium
        """Return whether osmium skips a relation."""
        tags = relation.tags
        return not (
            tags.get("boundary") in BOUNDARIES
            or "addr:housenumber" in tags
            or ("name" in tags and ("highway" in tags or tags.get("place") == "square"))
        )


def read_objects(source: Path, nodes: Path, data: Path | None = None) -> Iterator[SourceItem]:
    """Read the objects of an extract. The locations of its nodes go to the file `nodes`."""
    osmium = import_osmium(data)
    processor = (
        osmium.FileProcessor(str(source))
        .with_locations(f"sparse_file_array,{nodes}")
        .with_areas(_RelationFilter())
        .with_filter(osmium.filter.KeyFilter("addr:housenumber", "highway", "place", "boundary"))
    )
    writer = osmium.geom.WKBFactory()
    for item in processor:
        tags = {tag.k: tag.v for tag in item.tags}
        if item.is_area() and not item.from_way():
            yield from _read_area(writer, item, tags)
        elif item.is_node():
            point = (item.location.lon, item.location.lat)
            yield from _read_house(tags, point)
            yield from _read_place(tags, point)
        elif item.is_way():
            points = tuple((node.lon, node.lat) for node in item.nodes if node.location.valid())
            if points:
                yield from _read_house(tags, _find_center(points))
                yield from _read_street(tags, points)
        elif item.is_relation():
            yield from _read_country(tags)


def _read_area(writer: Any, area: Any, tags: Tags) -> Iterator[SourceItem]:  # noqa: ANN401 - types of osmium
    ring = next(iter(area.outer_rings()), None)
    if ring is None:
        return
    points = tuple((node.lon, node.lat) for node in ring)
    yield from _read_house(tags, _find_center(points))
    yield from _read_street(tags, points)
    if tags.get("boundary") not in BOUNDARIES:
        return
    is_postal = tags["boundary"] == "postal_code"
    level = tags.get("admin_level", "")
    code = tags.get("postal_code") or tags.get("ref") if is_postal else None
    if not (code or level.isdecimal()):
        return
    shape = shapely.from_wkb(writer.create_multipolygon(area)).simplify(BORDER_TOLERANCE)
    if shape.is_empty:
        return
    yield BoundarySource(
        level=None if is_postal else int(level[:2]),
        names=list_names(tags, MAX_CITY_NAMES),
        postal_code=code,
        country=_find_country(tags),
        shape=shape,
    )


def _read_country(tags: Tags) -> Iterator[CountrySource]:
    code = _find_country(tags)
    if code and tags.get("admin_level") == str(COUNTRY_LEVEL):
        yield CountrySource(code, list_names(tags, MAX_CITY_NAMES))


def _read_house(tags: Tags, point: Coordinates) -> Iterator[HouseSource]:
    number = tags.get("addr:housenumber", "").strip()
    street, place = tags.get("addr:street"), tags.get("addr:place")
    if not number or len(number) > MAX_NAME_LENGTH or not (street or place):
        return
    is_business = "name" in tags or "amenity" in tags or "shop" in tags
    yield HouseSource(
        rank=1 if "building" in tags else 2 if is_business else 0,
        number=number,
        street=street[:MAX_NAME_LENGTH] if street else None,
        place=place[:MAX_NAME_LENGTH] if place else None,
        city=tags.get("addr:city", "")[:MAX_NAME_LENGTH] or None,
        postal_code=tags.get("addr:postcode", "")[:32] or None,
        country=parse_country(tags.get("addr:country")),
        point=point,
    )


def _read_street(tags: Tags, points: tuple[Coordinates, ...]) -> Iterator[StreetSource]:
    is_street = tags.get("highway") in ROADS or tags.get("place") == "square"
    if is_street and (names := list_names(tags, MAX_NAMES)):
        yield StreetSource(names, points)


def _read_place(tags: Tags, point: Coordinates) -> Iterator[PlaceSource]:
    kind = tags.get("place")
    if kind not in PLACE_KINDS:
        return
    names = list_names(tags, MAX_CITY_NAMES if kind in CITY_KINDS[:2] else MAX_NAMES)
    digits = re.sub(r"[\s,.']", "", tags.get("population", ""))
    if names:
        population = int(digits) if re.fullmatch("[0-9]{1,9}", digits) else 0
        yield PlaceSource(kind, names, population, point)


def list_names(tags: Tags, limit: int) -> Names:
    """List the names of an object with their languages, the local one first."""
    names = [("", name) for name in _split_names(tags.get("name", ""))[:1]]
    for key, value in tags.items():
        if (language := LANGUAGE_PATTERN.fullmatch(key)) is not None:
            names += [(language[1], name) for name in _split_names(value)[:1]]
    other_names = (value for key, value in tags.items() if key.partition(":")[0] in OTHER_NAMES)
    names += [(SEARCH_ONLY, name) for value in other_names for name in _split_names(value)]
    local_name = names[0][1] if names else ""
    return tuple(
        dict.fromkeys(name for name in names if name[1] != local_name or name == names[0])
    )[:limit]


def _split_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(";") if 0 < len(name.strip()) <= MAX_NAME_LENGTH]


def _find_country(tags: Tags) -> str | None:
    return parse_country(next((tags[name] for name in ISO_TAGS if name in tags), None))


def parse_country(code: str | None) -> str | None:
    """Parse a two-letter country code, or return None."""
    upper_code = (code or "").strip().upper()
    return upper_code if re.fullmatch("[A-Z]{2}", upper_code) else None


def _find_center(points: tuple[Coordinates, ...]) -> Coordinates:
    """Return the center of the bounding box of points."""
    longitudes, latitudes = [point[0] for point in points], [point[1] for point in points]
    return (
        (min(longitudes) + max(longitudes)) / 2,
        (min(latitudes) + max(latitudes)) / 2,
    )
