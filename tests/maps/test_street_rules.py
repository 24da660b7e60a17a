"""Which map features an OpenStreetMap object becomes."""

import pytest

from pannier.maps.street_rules import (
    MAX_ZOOM,
    MIN_ZOOM,
    ROADS,
    MapFeature,
    list_area_features,
    list_house_numbers,
    list_line_features,
    list_point_features,
)


def classes(features: list[MapFeature]) -> dict[str, object]:
    """Return the class of each layer's feature."""
    return {feature.layer: feature.properties.get("class") for feature in features}


@pytest.mark.parametrize("kind", ROADS)
def test_every_kind_of_road_is_drawn_and_named(kind: str) -> None:
    features = list(list_line_features({"highway": kind, "name": "Long Street"}))
    assert [feature.layer for feature in features] == ["transportation", "transportation_name"]
    assert all(MIN_ZOOM <= feature.min_zoom <= MAX_ZOOM for feature in features)
    assert features[1].properties["name"] == "Long Street"


def test_a_road_without_a_name_shows_its_number() -> None:
    features = list(list_line_features({"highway": "trunk", "ref": "E 18"}))
    assert features[1].properties["name"] == "E 18"


def test_links_belong_to_the_class_of_their_road() -> None:
    assert classes(list(list_line_features({"highway": "motorway_link"}))) == {
        "transportation": "motorway"
    }


def test_bridges_and_tunnels_are_marked() -> None:
    bridge, tunnel = (
        next(list_line_features({"highway": "primary", kind: "yes"}))
        for kind in ("bridge", "tunnel")
    )
    assert (bridge.properties["brunnel"], tunnel.properties["brunnel"]) == ("bridge", "tunnel")


@pytest.mark.parametrize(
    "tags",
    [
        {"highway": "footway", "footway": "sidewalk"},
        {"highway": "footway", "indoor": "yes"},
        {"highway": "pedestrian", "area": "yes"},
        {"highway": "proposed"},
        {"railway": "subway", "tunnel": "yes"},
        {"railway": "abandoned"},
        {"waterway": "stream", "tunnel": "culvert"},
        {"power": "line"},
    ],
)
def test_lines_that_would_clutter_the_map_are_left_out(tags: dict[str, str]) -> None:
    assert list(list_line_features(tags)) == []


def test_rails_on_the_ground_are_drawn_and_sidings_only_when_close() -> None:
    (rail,) = list_line_features({"railway": "rail"})
    (tram,) = list_line_features({"railway": "tram"})
    (siding,) = list_line_features({"railway": "rail", "service": "yard"})
    assert (rail.properties["class"], tram.properties["class"]) == ("rail", "transit")
    assert rail.min_zoom < siding.min_zoom == MAX_ZOOM


@pytest.mark.parametrize(
    ("tags", "layer"),
    [
        ({"building": "yes"}, "building"),
        ({"building": "church", "landuse": "grass"}, "building"),
        ({"natural": "water"}, "water"),
        ({"landuse": "reservoir"}, "water"),
        ({"leisure": "park"}, "park"),
        ({"landuse": "cemetery"}, "landuse"),
        ({"natural": "wood"}, "landcover"),
    ],
)
def test_an_area_is_drawn_once(tags: dict[str, str], layer: str) -> None:
    assert [feature.layer for feature in list_area_features(tags)] == [layer]


def test_areas_that_look_like_the_ground_are_left_out() -> None:
    for tags in ({"building": "no"}, {"landuse": "residential"}, {"leisure": "sauna"}, {}):
        assert list(list_area_features(tags)) == []


def test_house_numbers_come_from_doors_and_from_buildings() -> None:
    tags = {"addr:housenumber": "12 B", "building": "yes"}
    for features in (list_point_features(tags), list_house_numbers(tags)):
        assert [feature.properties for feature in features] == [{"housenumber": "12 B"}]


def test_larger_places_are_named_from_farther_away() -> None:
    zooms = [
        next(list_point_features({"place": kind, "name": "Here"})).min_zoom
        for kind in ("city", "town", "village", "hamlet", "locality")
    ]
    assert zooms == sorted(zooms)
    assert list(list_point_features({"place": "city"})) == []
    assert list(list_point_features({"place": "planet", "name": "Earth"})) == []
