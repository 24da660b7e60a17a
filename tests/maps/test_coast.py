"""Land and sea are told apart by the coast lines of an extract."""

import msgspec
import pytest
import shapely

from pannier.maps.coast import CELL_DEGREES, Coast, Grid, Line

BOX = 0.0, 0.0, 0.05, 0.05


def areas(
    *lines: Line,
    bounds: tuple[float, float, float, float] = BOX,
    roads: list[tuple[float, float]] | None = None,
) -> dict[str, shapely.Geometry]:
    """Return land and sea, each as one shape."""
    grid, coast = Grid(bounds), Coast()
    for spot in roads or []:
        grid.mark_land(*spot)
    for line in lines:
        coast.add(line)
    found: dict[str, list[shapely.Geometry]] = {"land": [], "ocean": []}
    for feature, geometry in coast.list_features(grid):
        shape = shapely.from_geojson(geometry.decode())
        found[str(feature.properties["class"])].append(shape)
        assert msgspec.json.decode(geometry)["type"] == "Polygon"
    return {kind: shapely.union_all(shapes) for kind, shapes in found.items()}


def covers(shape: shapely.Geometry, *spots: tuple[float, float]) -> bool:
    return all(shape.contains(shapely.Point(spot)) for spot in spots)


def test_land_lies_on_the_left_of_a_coast_line() -> None:
    # From south to north: land in the west.
    found = areas([(0.02, -0.01), (0.03, 0.02), (0.02, 0.06)])
    assert covers(found["land"], (0.01, 0.02))
    assert covers(found["ocean"], (0.04, 0.02))
    turned = areas([(0.02, 0.06), (0.03, 0.02), (0.02, -0.01)])
    assert covers(turned["land"], (0.04, 0.02))
    assert covers(turned["ocean"], (0.01, 0.02))


def test_an_island_is_land_in_the_sea() -> None:
    island = [(0.02, 0.02), (0.03, 0.02), (0.03, 0.03), (0.02, 0.03), (0.02, 0.02)]
    found = areas(island)
    assert covers(found["land"], (0.025, 0.025))
    assert covers(found["ocean"], (0.01, 0.01), (0.04, 0.04))
    assert not found["ocean"].contains(shapely.Point(0.025, 0.025))


def test_a_coast_line_of_several_ways_is_one() -> None:
    found = areas([(0.02, -0.01), (0.03, 0.02)], [(0.03, 0.02), (0.02, 0.06)])
    assert covers(found["land"], (0.01, 0.02))
    assert covers(found["ocean"], (0.04, 0.02))


def test_a_coast_line_that_ends_just_before_the_edge_is_continued_to_it() -> None:
    found = areas([(0.02, 0.001), (0.03, 0.02), (0.02, 0.0495)])
    assert covers(found["land"], (0.01, 0.02))
    assert covers(found["ocean"], (0.04, 0.02))


def test_where_a_coast_line_ends_in_the_middle_nothing_is_guessed() -> None:
    found = areas([(0.02, -0.01), (0.025, 0.025)])
    assert found["land"].is_empty
    assert found["ocean"].is_empty


@pytest.mark.parametrize(("roads", "is_land"), [([(0.01, 0.01)], True), ([], False)])
def test_without_a_coast_there_is_land_where_roads_are(
    roads: list[tuple[float, float]], *, is_land: bool
) -> None:
    found = areas(roads=roads)
    assert found["ocean"].is_empty
    assert covers(found["land"], (0.04, 0.04)) == is_land


def test_cells_join_without_a_seam_and_end_at_the_bounds() -> None:
    bounds = 0.0, 0.0, 2 * CELL_DEGREES, CELL_DEGREES
    across = [(-0.01, 0.05), (0.3, 0.05)]
    found = areas(across, bounds=bounds, roads=[(0.01, 0.09), (0.19, 0.09), (5, 5)])
    seam = shapely.LineString([(CELL_DEGREES, 0.051), (CELL_DEGREES, 0.099)])
    assert found["land"].contains(seam)
    assert covers(found["ocean"], (CELL_DEGREES, 0.02))
    assert found["land"].bounds[2] == pytest.approx(bounds[2], abs=1e-4)


def test_a_long_coast_is_cut_in_every_cell() -> None:
    # A zigzag of a thousand points through ten cells.
    line = [(0.001 * step, 0.05 + 0.001 * (step % 2)) for step in range(-1, 1002)]
    found = areas(line, bounds=(0.0, 0.0, 1.0, 0.1))
    middles = [0.05 + 0.1 * cell for cell in range(10)]
    assert covers(found["land"], *((x, 0.09) for x in middles))
    assert covers(found["ocean"], *((x, 0.01) for x in middles))
