"""The map layers for features, and for the border that the operator draws.

A feature has a `kind` (point, line or area) and a `color`, and may have a `label` and a `heading`
in degrees. All layer names begin with `pannier-`, to differ from the names in an external style.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

Theme = Literal["light", "dark"]
Layer = dict[str, Any]

FONT: Final = ["Inter Variable"]
# The colors equal those in the style sheets. For every kind of color blindness, the colors of
# routes are at least 0.128 apart in Oklab. Their contrast with the surface is at least 3:1.
COLOURS: Final[Mapping[Theme, Mapping[str, str]]] = {
    "light": {
        "green": "#15803d", "amber": "#b45309", "red": "#c62828", "blue": "#2457e6",
        "grey": "#5f6b7c", "violet": "#6d28d9", "cyan": "#0e7490",
        "route1": "#3b33c8", "route2": "#2e8675", "route3": "#b29105", "route4": "#fe37ba",
        "route5": "#3c96ff", "route6": "#6a5b00", "route7": "#3d1b7c", "route8": "#5e2406",
    },
    "dark": {
        "green": "#4ade80", "amber": "#fbbf24", "red": "#f87171", "blue": "#6d95ff",
        "grey": "#8c97a8", "violet": "#b79cff", "cyan": "#3fd0e6",
        "route1": "#6b94c3", "route2": "#02ce9f", "route3": "#cca400", "route4": "#fcb6ff",
        "route5": "#9f42fe", "route6": "#a1f40d", "route7": "#c16955", "route8": "#fef6f2",
    },
}  # fmt: skip
SURFACE: Final[Mapping[Theme, str]] = {"light": "#ffffff", "dark": "#12161d"}
TEXT: Final[Mapping[Theme, str]] = {"light": "#141a23", "dark": "#e7ebf1"}
MATCH_NOTHING: Final = ["==", ["get", "id"], ""]


def list_layers(theme: Theme) -> Iterator[Layer]:
    """Yield the layers, bottom first: areas, lines, points, headings, names, the drawn border."""
    blue, surface = COLOURS[theme]["blue"], SURFACE[theme]
    colour_pairs = [part for pair in COLOURS[theme].items() for part in pair]
    colour = ["match", ["get", "color"], *colour_pairs, blue]
    text_paint = {"text-color": TEXT[theme], "text-halo-color": surface, "text-halo-width": 1.4}
    round_ends = {"line-cap": "round", "line-join": "round"}
    yield _make_layer(
        "areas", "fill", _match_kind("area"), {"fill-color": colour, "fill-opacity": 0.14}
    )
    yield _make_layer(
        "edges", "line", _match_kind("area"), {"line-color": colour, "line-width": 1.5}
    )
    yield _make_layer("area-names", "symbol", _match_kind("area"), text_paint, _name_layout())
    yield _make_layer(
        "ringed", "line", MATCH_NOTHING, {"line-color": colour, "line-width": 6}, round_ends
    )
    yield _make_layer(
        "lines", "line", _match_kind("line"), {"line-color": colour, "line-width": 3}, round_ends
    )
    ring = {"circle-radius": 13, "circle-color": "#0000", "circle-stroke-width": 3}
    yield _make_layer("ring", "circle", MATCH_NOTHING, ring | {"circle-stroke-color": colour})
    has_heading = ["has", "heading"]
    dot = {"circle-radius": ["case", has_heading, 9, 6.5], "circle-color": colour}
    # A stop that will be late has a red ring.
    is_late, red = ["has", "late"], COLOURS[theme]["red"]
    outline = {
        "circle-stroke-color": ["case", is_late, red, surface],
        "circle-stroke-width": ["case", is_late, 4, 1.5],
    }
    yield _make_layer("points", "circle", _match_kind("point"), dot | outline)
    heading_layout = {
        "icon-image": "arrow", "icon-size": 0.5, "icon-rotate": ["get", "heading"],
        "icon-rotation-alignment": "map", "icon-allow-overlap": True,
    }  # fmt: skip
    yield _make_layer("headings", "symbol", has_heading, {}, heading_layout)
    name_layout = _name_layout() | {"text-offset": [0, 1.1], "text-anchor": "top"}
    yield _make_layer("names", "symbol", _match_kind("point"), text_paint, name_layout)
    polygons, points = _match_shape("Polygon"), _match_shape("Point")
    for layer in (
        _make_layer("drawn", "fill", polygons, {"fill-color": blue, "fill-opacity": 0.2}),
        _make_layer("drawing", "line", ["!", points], {"line-color": blue, "line-width": 2}),
        _make_layer("vertices", "circle", points, {
            "circle-radius": 6, "circle-color": surface, "circle-stroke-color": blue,
            "circle-stroke-width": 2,
        }),
    ):  # fmt: skip
        yield layer | {"source": "pannier-draft"}


def _make_layer(
    name: str, type: str, layer_filter: Sequence[Any], paint: Layer, layout: Layer | None = None
) -> Layer:
    return {
        "id": f"pannier-{name}", "type": type, "source": "pannier-features", "filter": layer_filter,
        "paint": paint, "layout": layout or {},
    }  # fmt: skip


def _match_kind(kind: str) -> list[Any]:
    return ["==", ["get", "kind"], kind]


def _match_shape(shape: str) -> list[Any]:
    return ["==", ["geometry-type"], shape]


def _name_layout() -> Layer:
    return {
        "text-field": ["coalesce", ["get", "label"], ""], "text-font": FONT, "text-size": 11,
        "text-optional": True,
    }  # fmt: skip
