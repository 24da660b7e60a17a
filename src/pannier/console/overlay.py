"""The map layers that show features and the border being drawn.

A feature has a `kind` (point, line or area) and a `color`, and may have a `label` and a `heading`
in degrees. All layer names begin with `pannier-`, because an external style has names of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal

Theme = Literal["light", "dark"]
Layer = dict[str, Any]

FONT: Final = ["Inter Variable"]
# The same as in the style sheet.
COLOURS: Final[Mapping[Theme, Mapping[str, str]]] = {
    "light": {
        "green": "#15803d", "amber": "#b45309", "red": "#c62828", "blue": "#2457e6",
        "grey": "#5f6b7c", "violet": "#6d28d9", "cyan": "#0e7490",
    },
    "dark": {
        "green": "#4ade80", "amber": "#fbbf24", "red": "#f87171", "blue": "#6d95ff",
        "grey": "#8c97a8", "violet": "#b79cff", "cyan": "#3fd0e6",
    },
}  # fmt: skip
SURFACE: Final[Mapping[Theme, str]] = {"light": "#ffffff", "dark": "#12161d"}
TEXT: Final[Mapping[Theme, str]] = {"light": "#141a23", "dark": "#e7ebf1"}
NOBODY: Final = ["==", ["get", "id"], ""]


def layers(theme: Theme) -> Iterator[Layer]:
    """Yield the layers: areas, lines, points with headings and names, then the drawn border."""
    blue, surface = COLOURS[theme]["blue"], SURFACE[theme]
    said = [part for pair in COLOURS[theme].items() for part in pair]
    colour = ["match", ["get", "color"], *said, blue]
    written = {"text-color": TEXT[theme], "text-halo-color": surface, "text-halo-width": 1.4}
    round_ends = {"line-cap": "round", "line-join": "round"}
    yield _layer("areas", "fill", _kind("area"), {"fill-color": colour, "fill-opacity": 0.14})
    yield _layer("edges", "line", _kind("area"), {"line-color": colour, "line-width": 1.5})
    yield _layer("area-names", "symbol", _kind("area"), written, _name())
    yield _layer("ringed", "line", NOBODY, {"line-color": colour, "line-width": 6}, round_ends)
    yield _layer(
        "lines", "line", _kind("line"), {"line-color": colour, "line-width": 3}, round_ends
    )
    ring = {"circle-radius": 13, "circle-color": "#0000", "circle-stroke-width": 3}
    yield _layer("ring", "circle", NOBODY, ring | {"circle-stroke-color": colour})
    moving = ["has", "heading"]
    dot = {"circle-radius": ["case", moving, 9, 6.5], "circle-color": colour}
    edge = {"circle-stroke-color": surface, "circle-stroke-width": 1.5}
    yield _layer("points", "circle", _kind("point"), dot | edge)
    turned = {
        "icon-image": "arrow", "icon-size": 0.5, "icon-rotate": ["get", "heading"],
        "icon-rotation-alignment": "map", "icon-allow-overlap": True,
    }  # fmt: skip
    yield _layer("headings", "symbol", moving, {}, turned)
    below = _name() | {"text-offset": [0, 1.1], "text-anchor": "top"}
    yield _layer("names", "symbol", _kind("point"), written, below)
    for layer in (
        _layer("drawn", "fill", _shape("Polygon"), {"fill-color": blue, "fill-opacity": 0.2}),
        _layer("drawing", "line", ["!", _shape("Point")], {"line-color": blue, "line-width": 2}),
        _layer("vertices", "circle", _shape("Point"), {
            "circle-radius": 6, "circle-color": surface, "circle-stroke-color": blue,
            "circle-stroke-width": 2,
        }),
    ):  # fmt: skip
        yield layer | {"source": "pannier-draft"}


def _layer(
    name: str, type: str, wanted: Sequence[Any], paint: Layer, layout: Layer | None = None
) -> Layer:
    return {
        "id": f"pannier-{name}", "type": type, "source": "pannier-features", "filter": wanted,
        "paint": paint, "layout": layout or {},
    }  # fmt: skip


def _kind(name: str) -> list[Any]:
    return ["==", ["get", "kind"], name]


def _shape(name: str) -> list[Any]:
    return ["==", ["geometry-type"], name]


def _name() -> Layer:
    return {
        "text-field": ["coalesce", ["get", "label"], ""], "text-font": FONT, "text-size": 11,
        "text-optional": True,
    }  # fmt: skip
