"""How street tiles are drawn."""

from itertools import pairwise

import pytest

from pannier.console.overlay import Layer
from pannier.console.street_style import PALETTES, list_street_layers

OPENMAPTILES = frozenset({
    "building", "housenumber", "landuse", "park", "place", "transportation",
    "transportation_name", "water", "waterway",
})  # fmt: skip
PROTOMAPS = frozenset({"buildings", "earth", "landuse", "places", "roads", "water"})


def layers(available: frozenset[str]) -> dict[str, Layer]:
    return {str(layer["id"]): layer for layer in list_street_layers(PALETTES["light"], available)}


@pytest.mark.parametrize("available", [OPENMAPTILES, PROTOMAPS])
def test_only_layers_that_the_tiles_hold_are_drawn_and_all_of_them(
    available: frozenset[str],
) -> None:
    drawn = layers(available)
    assert {layer["source-layer"] for layer in drawn.values()} == available


def test_ground_lies_below_buildings_roads_and_names() -> None:
    drawn = list(layers(OPENMAPTILES))
    order = ["streets-landuse", "streets-water", "streets-building",
             "streets-transportation-edges", "streets-transportation-roads",
             "numbers-housenumber", "names-transportation_name", "names-place"]  # fmt: skip
    assert all(drawn.index(low) < drawn.index(high) for low, high in pairwise(order))


def test_house_numbers_appear_when_close() -> None:
    assert layers(OPENMAPTILES)["numbers-housenumber"]["minzoom"] == 17


def test_both_themes_draw_the_same_layers() -> None:
    light, dark = (
        [layer["id"] for layer in list_street_layers(PALETTES[theme], OPENMAPTILES)]
        for theme in ("light", "dark")
    )
    assert light == dark
