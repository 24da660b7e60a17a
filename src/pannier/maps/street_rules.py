"""Conversion of OpenStreetMap objects to map features. Pure rules on tags.

The layers and classes follow the schema of OpenMapTiles, which the street style draws.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

MIN_ZOOM: Final = 4
MAX_ZOOM: Final = 14
# An object without any of these tags is not a feature.
TAG_KEYS: Final = (
    "addr:housenumber", "building", "highway", "landuse", "leisure", "natural", "place", "railway",
    "waterway",
)  # fmt: skip
# Keys of areas and nodes that are drawn.
AREA_KEYS: Final = ("building", "landuse", "leisure", "natural", "waterway")
POINT_KEYS: Final = ("addr:housenumber", "place")

Tags = Mapping[str, str]


class MapFeature(NamedTuple):
    """A feature of a layer: its minimum zoom and its properties."""

    layer: str
    min_zoom: int
    properties: Mapping[str, str | int]


class ClassRule(NamedTuple):
    """The class of a feature, and the minimum zooms of the feature and its name."""

    name: str
    min_zoom: int
    name_zoom: int = MAX_ZOOM


ROADS: Final[Mapping[str, ClassRule]] = {
    "motorway": ClassRule("motorway", 5, 11),
    "motorway_link": ClassRule("motorway", 10),
    "trunk": ClassRule("trunk", 6, 11),
    "trunk_link": ClassRule("trunk", 10),
    "primary": ClassRule("primary", 7, 12),
    "primary_link": ClassRule("primary", 11),
    "secondary": ClassRule("secondary", 9, 12),
    "secondary_link": ClassRule("secondary", 11),
    "tertiary": ClassRule("tertiary", 10, 13),
    "tertiary_link": ClassRule("tertiary", 12),
    "unclassified": ClassRule("minor", 12, 13),
    "residential": ClassRule("minor", 12, 13),
    "living_street": ClassRule("minor", 12, 13),
    "road": ClassRule("minor", 12, 13),
    "service": ClassRule("service", 13),
    "track": ClassRule("track", 13),
    "pedestrian": ClassRule("pedestrian", 13),
    "footway": ClassRule("footway", 14),
    "cycleway": ClassRule("cycleway", 13),
    "path": ClassRule("path", 14),
    "bridleway": ClassRule("path", 14),
    "steps": ClassRule("steps", 14),
}
# Footways along a street, which its own line already shows.
HIDDEN_FOOTWAYS: Final = frozenset({"sidewalk", "crossing", "traffic_island"})
RAILS: Final[Mapping[str, ClassRule]] = {
    "rail": ClassRule("rail", 9),
    "narrow_gauge": ClassRule("rail", 10),
    "light_rail": ClassRule("transit", 11),
    "subway": ClassRule("transit", 12),
    "monorail": ClassRule("transit", 12),
    "funicular": ClassRule("transit", 13),
    "tram": ClassRule("transit", 13),
}
SIDINGS_ZOOM: Final = 14
WATERWAYS: Final[Mapping[str, ClassRule]] = {
    "river": ClassRule("river", 8),
    "canal": ClassRule("canal", 10),
    "stream": ClassRule("stream", 13),
    "ditch": ClassRule("stream", 14),
    "drain": ClassRule("stream", 14),
}
WATER: Final = frozenset({
    ("natural", "water"), ("waterway", "riverbank"), ("waterway", "dock"),
    ("landuse", "reservoir"), ("landuse", "basin"),
})  # fmt: skip
WATER_ZOOM: Final = 6
PARKS: Final = frozenset({
    "park", "garden", "nature_reserve", "golf_course", "playground", "pitch", "common",
    "dog_park", "recreation_ground",
})  # fmt: skip
LAND_COVERS: Final = frozenset({
    "wood", "scrub", "heath", "grassland", "wetland", "fell", "tundra",
})  # fmt: skip
LAND_USES: Final = frozenset({
    "forest", "grass", "meadow", "recreation_ground", "cemetery", "village_green", "allotments",
    "farmland", "orchard", "vineyard",
})  # fmt: skip
GREEN_ZOOM: Final = 9
BUILDING_ZOOM: Final = 13
PLACES: Final[Mapping[str, int]] = {
    "city": 4, "town": 7, "borough": 10, "suburb": 11, "village": 10, "quarter": 12, "hamlet": 12,
    "island": 12, "neighbourhood": 13, "square": 14, "locality": 14, "isolated_dwelling": 14,
}  # fmt: skip


def list_point_features(tags: Tags) -> Iterator[MapFeature]:
    """List the features of a node."""
    yield from list_house_numbers(tags)
    place, name = tags.get("place", ""), tags.get("name")
    if name is not None and place in PLACES:
        yield MapFeature("place", PLACES[place], {"class": place, "name": name})


def list_house_numbers(tags: Tags) -> Iterator[MapFeature]:
    """List the house number of a node or of a building."""
    number = tags.get("addr:housenumber")
    if number is not None:
        yield MapFeature("housenumber", MAX_ZOOM, {"housenumber": number})


def list_line_features(tags: Tags) -> Iterator[MapFeature]:
    """List the features of a way."""
    road = ROADS.get(tags.get("highway", ""))
    if road is not None and tags.get("area") != "yes" and not _is_hidden(tags):
        yield MapFeature(
            "transportation", road.min_zoom, {"class": road.name, **_read_structure(tags)}
        )
        name = tags.get("name") or tags.get("ref")
        if name is not None:
            properties = {"class": road.name, "name": name}
            yield MapFeature("transportation_name", road.name_zoom, properties)
    rail = RAILS.get(tags.get("railway", ""))
    if rail is not None and _read_structure(tags).get("brunnel") != "tunnel":
        zoom = SIDINGS_ZOOM if "service" in tags else rail.min_zoom
        yield MapFeature("transportation", zoom, {"class": rail.name, **_read_structure(tags)})
    waterway = WATERWAYS.get(tags.get("waterway", ""))
    if waterway is not None and _read_structure(tags).get("brunnel") != "tunnel":
        yield MapFeature("waterway", waterway.min_zoom, {"class": waterway.name})


def _is_hidden(tags: Tags) -> bool:
    return tags.get("footway") in HIDDEN_FOOTWAYS or tags.get("indoor") == "yes"


def _read_structure(tags: Tags) -> dict[str, str]:
    """Return a property for a bridge or a tunnel."""
    for kind in ("tunnel", "bridge"):
        if tags.get(kind, "no") != "no":
            return {"brunnel": kind}
    return {}


def list_area_features(tags: Tags) -> Iterator[MapFeature]:
    """List the features of an area."""
    if tags.get("building", "no") != "no":
        yield MapFeature("building", BUILDING_ZOOM, {})
    elif any(tags.get(key) == value for key, value in WATER):
        yield MapFeature("water", WATER_ZOOM, {"class": "lake"})
    elif (leisure := tags.get("leisure", "")) in PARKS:
        yield MapFeature("park", GREEN_ZOOM, {"class": leisure})
    elif (land_use := tags.get("landuse", "")) in LAND_USES:
        yield MapFeature("landuse", GREEN_ZOOM, {"class": land_use})
    elif (cover := tags.get("natural", "")) in LAND_COVERS:
        yield MapFeature("landcover", GREEN_ZOOM, {"class": cover})
