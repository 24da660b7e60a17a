"""The style of street tiles: colors and layers, light and dark.

Tiles follow the schema of OpenMapTiles, which `pannier map build` writes, or that of Protomaps.
They store the class of a road as `class` and as `kind`.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from pannier.console.overlay import FONT, Layer, Theme

# From this zoom, the tiles name the places. Below it, the world map names its cities.
PLACE_NAMES_FROM: Final = 9
ROAD_NAMES_FROM: Final = 13
HOUSE_NUMBERS_FROM: Final = 17


class Palette(NamedTuple):
    """The colors of a base map, subdued so that features stand out."""

    water: str
    land: str
    border: str
    text: str
    green: str
    built: str
    built_edge: str
    road: str
    road_edge: str
    main: str
    main_edge: str
    path: str
    rail: str
    raster_paint: Mapping[str, float]


PALETTES: Final[Mapping[Theme, Palette]] = {
    "light": Palette(
        water="#dde5ee", land="#f7f7f4", border="#c3cad4", text="#5f6b7c", green="#dfe9d9",
        built="#e6e4df", built_edge="#d6d3cc", road="#ffffff", road_edge="#d3d3cf",
        main="#fde7b5", main_edge="#e0bd6d", path="#c9b9a3", rail="#b3b8c2", raster_paint={},
    ),
    "dark": Palette(
        water="#0b1320", land="#161b24", border="#323b49", text="#a9b3c1", green="#15291f",
        built="#1f2631", built_edge="#2c3543", road="#3c475a", road_edge="#11161e",
        main="#5b6882", main_edge="#11161e", path="#465165", rail="#465065",
        raster_paint={"raster-brightness-max": 0.6, "raster-saturation": -0.6},
    ),
}  # fmt: skip
# The palette color of each layer of areas, from the ground up: OpenMapTiles, Protomaps.
AREA_FILLS: Final[Mapping[str, str]] = {
    "earth": "land",
    "landcover": "green",
    "landuse": "green",
    "park": "green",
    "water": "water",
}
# Landuse of these classes is green. Other classes have the color of the land.
GREEN_CLASSES: Final = [
    "park", "grass", "forest", "wood", "meadow", "garden", "recreation_ground", "cemetery",
    "village_green", "playground", "pitch", "golf_course", "nature_reserve", "allotments",
    "farmland", "orchard", "vineyard", "heath", "scrub", "wetland", "protected_area",
]  # fmt: skip
BUILDING_LAYERS: Final[tuple[str, ...]] = ("building", "buildings")
WATERWAYS: Final = "waterway"
ROAD_LAYERS: Final[tuple[str, ...]] = ("transportation", "roads")
ROAD_NAME_LAYERS: Final[tuple[str, ...]] = ("transportation_name", "roads")
PLACE_LAYERS: Final[tuple[str, ...]] = ("place", "places")
HOUSE_NUMBER_LAYERS: Final[tuple[str, ...]] = ("housenumber", "buildings")
MAIN_CLASSES: Final = ["motorway", "trunk", "primary", "secondary", "highway", "major_road"]
MINOR_CLASSES: Final = ["tertiary", "minor", "minor_road", "medium_road", "street"]
PATH_CLASSES: Final = ["path", "pedestrian", "footway", "cycleway", "steps", "track"]
RAIL_CLASSES: Final = ["rail", "transit"]
CLASS: Final = ["coalesce", ["get", "kind"], ["get", "class"], ""]
NAME: Final = ["coalesce", ["get", "name:latin"], ["get", "name"], ""]
HOUSE_NUMBER: Final = ["coalesce", ["get", "housenumber"], ["get", "addr_housenumber"], ""]


def list_street_layers(palette: Palette, available_layers: frozenset[str]) -> Iterator[Layer]:
    """Yield the style's layers for the available tile layers, bottom first."""
    yield from _list_areas(palette, available_layers)
    for name in (name for name in ROAD_LAYERS if name in available_layers):
        yield from _list_roads(palette, name)
    yield from _list_names(palette, available_layers)


def make_name_layer(palette: Palette, source: str, field: Sequence[Any], size: float) -> Layer:
    """Return a layer of names with a halo."""
    return {
        "id": f"names-{source}",
        "type": "symbol",
        "source": source,
        "layout": make_text_layout(field, size),
        "paint": {
            "text-color": palette.text,
            "text-halo-color": palette.land,
            "text-halo-width": 1.2,
        },
    }


def make_text_layout(field: Sequence[Any], size: float | list[Any]) -> Layer:
    """Make the layout of a text. The size is a number or an expression."""
    return {"text-field": field, "text-font": FONT, "text-size": size, "text-padding": 6}


def _list_areas(palette: Palette, available_layers: frozenset[str]) -> Iterator[Layer]:
    colors = palette._asdict()
    for name in (name for name in AREA_FILLS if name in available_layers):
        color: Any = colors[AREA_FILLS[name]]
        if name == "landuse":
            color = ["case", _is_class(GREEN_CLASSES), palette.green, palette.land]
        yield _make_street_layer(name, "fill", "Polygon") | {"paint": {"fill-color": color}}
    if WATERWAYS in available_layers:
        yield _make_street_layer(WATERWAYS, "line", "LineString") | {
            "paint": {"line-color": palette.water, "line-width": _make_width_expression(0.6, 6)},
        }
    for name in (name for name in BUILDING_LAYERS if name in available_layers):
        yield _make_street_layer(name, "fill", "Polygon") | {
            "minzoom": 13,
            "paint": {"fill-color": palette.built, "fill-outline-color": palette.built_edge},
        }


def _list_roads(palette: Palette, name: str) -> Iterator[Layer]:
    """Yield rails, paths, road edges and roads. Edges come first, so that crossings stay open."""
    round_ends = {"layout": {"line-cap": "round", "line-join": "round"}}
    is_main, is_minor = _is_class(MAIN_CLASSES), _is_class(MINOR_CLASSES)
    is_road = ["all", ["!", _is_class(RAIL_CLASSES)], ["!", _is_class(PATH_CLASSES)]]
    roads = ["all", ["==", ["geometry-type"], "LineString"], is_road]
    yield _make_street_layer(name, "line", "LineString", "rails") | {
        "filter": ["all", ["==", ["geometry-type"], "LineString"], _is_class(RAIL_CLASSES)],
        "minzoom": 11,
        "paint": {"line-color": palette.rail, "line-width": _make_width_expression(0.5, 3)},
    }
    yield _make_street_layer(name, "line", "LineString", "paths") | {
        "filter": ["all", ["==", ["geometry-type"], "LineString"], _is_class(PATH_CLASSES)],
        "minzoom": 14,
        "paint": {
            "line-color": palette.path, "line-width": _make_width_expression(0.6, 2.5),
            "line-dasharray": [2, 1.5],
        },
    }  # fmt: skip
    for part, extra_width, paint in (
        ("edges", 1.6, ["case", is_main, palette.main_edge, palette.road_edge]),
        ("roads", 0.0, ["case", is_main, palette.main, palette.road]),
    ):
        near_width = [
            "case",
            is_main,
            18 + extra_width,
            is_minor,
            12 + extra_width,
            7 + extra_width,
        ]
        middle_width = [
            "case",
            is_main,
            3 + extra_width,
            is_minor,
            1.8 + extra_width,
            0.9 + extra_width / 2,
        ]
        width = ["interpolate", ["exponential", 1.5], ["zoom"],
                 6, 0.4 + extra_width / 4, 13, middle_width, 18, near_width]  # fmt: skip
        zoom_limit = {"minzoom": 12} if part == "edges" else {}
        yield (
            _make_street_layer(name, "line", "LineString", part)
            | round_ends
            | zoom_limit
            | {
                "filter": roads,
                "paint": {"line-color": paint, "line-width": width},
            }
        )


def _list_names(palette: Palette, available_layers: frozenset[str]) -> Iterator[Layer]:
    for name in (name for name in HOUSE_NUMBER_LAYERS if name in available_layers):
        yield make_name_layer(palette, "streets", HOUSE_NUMBER, 10) | {
            "id": f"numbers-{name}", "source-layer": name, "minzoom": HOUSE_NUMBERS_FROM,
        }  # fmt: skip
    size = ["interpolate", ["linear"], ["zoom"], ROAD_NAMES_FROM, 10, 18, 13]
    for name in (name for name in ROAD_NAME_LAYERS if name in available_layers):
        yield make_name_layer(palette, "streets", NAME, 11) | {
            "id": f"names-{name}", "source-layer": name, "minzoom": ROAD_NAMES_FROM,
            "layout": make_text_layout(NAME, size) | {"symbol-placement": "line"},
        }  # fmt: skip
    for name in (name for name in PLACE_LAYERS if name in available_layers):
        yield make_name_layer(palette, "streets", NAME, 12) | {
            "id": f"names-{name}", "source-layer": name, "minzoom": PLACE_NAMES_FROM,
        }  # fmt: skip


def _make_street_layer(name: str, kind: str, geometry: str, part: str = "") -> Layer:
    return {
        "id": f"streets-{name}-{part}" if part else f"streets-{name}",
        "type": kind,
        "source": "streets",
        "source-layer": name,
        "filter": ["==", ["geometry-type"], geometry],
    }


def _is_class(classes: Sequence[str]) -> list[Any]:
    return ["in", CLASS, ["literal", list(classes)]]


def _make_width_expression(far_width: float, near_width: float) -> list[Any]:
    """Make an expression for a width in pixels that grows from zoom 11 to 18."""
    return ["interpolate", ["exponential", 1.5], ["zoom"], 11, far_width, 18, near_width]
