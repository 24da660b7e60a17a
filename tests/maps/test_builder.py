"""`pannier map build` makes a city from an extract."""

import gzip
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from maps import extracts
from pannier.console.tiles import TileArchive
from pannier.db.embedded.lock import hold_lock
from pannier.errors import SetupError
from pannier.maps import builder, cities
from pannier.maps.folder import PROFILES, CityFolder, MapFolder

pytestmark = pytest.mark.slow

# A tile of the city's centre, at the closest zoom.
CENTRE = 14, 9327, 4742
PAIRS = 200
# A street of 2 km with a bridge over it in the middle, and a way around that is 6 km longer.
SPOTS = [(9.50, 47.10), (9.51, 47.10), (9.52, 47.10), (9.53, 47.10), (9.51, 47.13), (9.52, 47.13)]
STREET = {"highway": "residential"}


class Progress:
    """Notes the steps, and stops a build in one of them."""

    def __init__(self, stop_in: str = "") -> None:
        self.steps: list[str] = []
        self.sentences: list[str] = []
        self._stop_in = stop_in

    def begin(self, title: str) -> Callable[[float], None]:
        if title == self._stop_in:
            raise KeyboardInterrupt
        self.steps.append(title)
        return self.check

    @staticmethod
    def check(share: float) -> None:
        assert 0 <= share <= 1

    def say(self, sentence: str) -> None:
        self.sentences.append(sentence)


def move(spot: extracts.Spot, number: int) -> extracts.Spot:
    """Return the same spot of another crossing."""
    return spot[0], spot[1] + number / 10


def crossing(path: Path, *limits: dict[str, str]) -> Path:
    """Write a street whose middle has limits, with a way around, for each of `limits`."""
    spots = [move(spot, number) for number in range(len(limits)) for spot in SPOTS]
    ways = [
        ([first + node for node in nodes], tags)
        for first, limit in zip(range(0, len(spots), len(SPOTS)), limits, strict=True)
        for nodes, tags in (
            ([1, 2], STREET), ([2, 3], {**STREET, **limit}), ([3, 4], STREET),
            ([2, 5, 6, 3], STREET),
        )
    ]  # fmt: skip
    return extracts.write(path, spots, ways)


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory, helsinki_pbf: Path) -> Path:
    """A data directory with a built city and its extract, to copy."""
    assert helsinki_pbf.exists()
    data = tmp_path_factory.mktemp("town")
    builder.build_city(data, crossing(data / "a.osm.pbf", {}), "town", Progress())
    return data


@pytest.fixture
def data(town: Path, tmp_path: Path) -> Path:
    """A data directory in which a town was built from the extract a.osm.pbf."""
    return Path(shutil.copytree(town, tmp_path / "data"))


def test_a_city_has_a_routing_graph_for_each_vehicle(helsinki: CityFolder) -> None:
    manifest = helsinki.read_manifest()
    assert manifest is not None
    assert manifest.profiles == PROFILES
    assert manifest.attribution == "© OpenStreetMap contributors"
    for profile in PROFILES:
        assert helsinki.get_graph(profile).with_name("graph.osrm.mldgr").is_file()


def test_streets_have_the_layers_that_maps_draw(helsinki: CityFolder) -> None:
    archive = TileArchive(helsinki.streets)
    assert archive.layers >= {
        "transportation", "transportation_name", "building", "housenumber", "water", "park",
        "landuse", "landcover", "place", "earth", "waterway",
    }  # fmt: skip
    assert archive.attribution == "© OpenStreetMap contributors"
    tile = gzip.decompress(archive.tile(*CENTRE) or b"")
    for text in ("Aleksanterinkatu", "housenumber", "ocean", "transit"):
        assert text.encode() in tile


@pytest.mark.parametrize("profile", PROFILES)
def test_all_places_of_a_small_extract_reach_each_other(helsinki: CityFolder, profile: str) -> None:
    manifest = helsinki.read_manifest()
    assert manifest is not None
    west, south, east, north = manifest.bounds
    chance = random.Random(4)
    spots = [(chance.uniform(west, east), chance.uniform(south, north)) for _ in range(2 * PAIRS)]
    with extracts.routing(helsinki, profile) as roads:
        pairs = zip(spots[::2], spots[1::2], strict=True)
        assert [pair for pair in pairs if roads.find(*pair) is None] == []


# Limits of a bridge, and the vehicles that go around it.
BRIDGES: Final[list[tuple[dict[str, str], list[str]]]] = [
    ({"maxheight": "2.3"}, ["van"]),
    ({"maxweight": "3"}, ["van"]),
    ({"maxheight": "1.8"}, ["car", "van"]),
    ({"maxheight": "3"}, []),
]


@pytest.mark.usefixtures("helsinki_pbf")
def test_vans_keep_to_the_height_and_weight_of_roads(tmp_path: Path) -> None:
    file = crossing(tmp_path / "bridges.osm.pbf", *(limits for limits, _ in BRIDGES))
    city = builder.build_city(tmp_path, file, "bridges", Progress())
    around: list[list[str]] = [[] for _ in BRIDGES]
    for profile in PROFILES:
        with extracts.routing(city, profile) as roads:
            for number, vehicles in enumerate(around):
                route = roads.find(move(SPOTS[0], number), move(SPOTS[3], number))
                assert route is not None
                if route["distance"] > 5000:
                    vehicles.append(profile)
    assert around == [[name for name in PROFILES if name in blocked] for _, blocked in BRIDGES]


@pytest.mark.usefixtures("helsinki_pbf")
def test_an_interrupted_build_leaves_no_city_and_continues_where_it_stopped(tmp_path: Path) -> None:
    extract = crossing(tmp_path / "town.osm.pbf", {})
    maps = MapFolder(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        builder.build_city(tmp_path, extract, "town", Progress("Roads for vans"))
    assert maps.list_cities() == []
    assert maps.find_current_city() is None
    assert [summary.state for summary in cities.list_summaries(tmp_path)] == ["unfinished"]
    again = Progress()
    city = builder.build_city(tmp_path, extract, "town", again)
    assert again.steps[0] == "Checking the file"
    assert "Street tiles" not in again.steps
    assert "Roads for cars" not in again.steps
    assert "Roads for vans" in again.steps
    assert again.sentences == ["Continuing an interrupted build."]
    assert maps.find_current_city() is not None
    for profile in PROFILES:
        assert city.get_graph(profile).with_name("graph.osrm.mldgr").is_file()
    unchanged = Progress()
    builder.build_city(tmp_path, extract, "town", unchanged)
    assert unchanged.steps == ["Checking the file"]
    assert unchanged.sentences == ["town is up to date."]


@pytest.mark.usefixtures("helsinki_pbf")
def test_another_extract_does_not_continue_the_build_of_the_first(tmp_path: Path) -> None:
    first = crossing(tmp_path / "first.osm.pbf", {})
    with pytest.raises(KeyboardInterrupt):
        builder.build_city(tmp_path, first, "town", Progress("Roads for bicycles"))
    second = crossing(tmp_path / "second.osm.pbf", {"maxheight": "1"})
    progress = Progress()
    builder.build_city(tmp_path, second, "town", progress)
    assert "Roads for cars" in progress.steps


def test_a_new_extract_replaces_the_city_of_that_name(data: Path) -> None:
    maps = MapFolder(data)
    before = maps.get_city("town").read_manifest()
    file = crossing(data / "b.osm.pbf", {"maxheight": "1"})
    after = builder.build_city(data, file, "town", Progress()).read_manifest()
    assert before is not None
    assert after is not None
    assert (before.source_name, after.source_name) == ("a.osm.pbf", "b.osm.pbf")
    hidden = [path.name for path in maps.cities.iterdir() if path.is_dir()]
    assert hidden == ["town"]


def test_only_the_first_city_comes_into_use_by_itself(data: Path) -> None:
    builder.build_city(data, data / "a.osm.pbf", "second", Progress())
    assert [city.name for city in MapFolder(data).list_cities()] == ["second", "town"]
    current = MapFolder(data).find_current_city()
    assert current is not None
    assert current.name == "town"


@pytest.mark.usefixtures("helsinki_pbf")
def test_a_profile_without_roads_is_left_out(tmp_path: Path) -> None:
    file = extracts.write(tmp_path / "a.osm.pbf", SPOTS, [([1, 2, 3], {"highway": "cycleway"})])
    city = builder.build_city(tmp_path, file, "paths", Progress())
    manifest = city.read_manifest()
    assert manifest is not None
    assert manifest.profiles == ("bicycle",)
    assert not city.get_graph("car").parent.exists()


def not_an_extract(folder: Path) -> Path:
    (folder / "a.osm.pbf").write_text("<osm>")
    return folder / "a.osm.pbf"


def nothing(folder: Path) -> Path:
    return folder / "nowhere.osm.pbf"


def empty(folder: Path) -> Path:
    return extracts.write(folder / "a.osm.pbf", [])


def pointless(folder: Path) -> Path:
    return extracts.write(folder / "a.osm.pbf", SPOTS)


def rails_only(folder: Path) -> Path:
    return extracts.write(folder / "a.osm.pbf", SPOTS, [([1, 2, 3], {"railway": "rail"})])


@pytest.mark.usefixtures("helsinki_pbf")
@pytest.mark.parametrize(
    ("write", "sentence"),
    [
        (not_an_extract, "is not an OpenStreetMap extract in PBF format"),
        (nothing, "cannot be read: No such file"),
        (empty, "has no points. Use another extract."),
        (pointless, "has no roads"),
        (rails_only, "has no roads"),
    ],
)
def test_a_file_that_no_city_comes_from_is_refused_and_leaves_nothing(
    tmp_path: Path, write: Callable[[Path], Path], sentence: str
) -> None:
    with pytest.raises(SetupError, match=sentence):
        builder.build_city(tmp_path, write(tmp_path), "town", Progress())
    assert cities.list_summaries(tmp_path) == []


def test_a_damaged_extract_is_refused(tmp_path: Path, helsinki_pbf: Path) -> None:
    whole = helsinki_pbf.read_bytes()
    half = tmp_path / "half.osm.pbf"
    half.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(SetupError, match=r"is damaged: .* Download it again"):
        builder.build_city(tmp_path, half, "town", Progress())
    assert cities.list_summaries(tmp_path) == []


@pytest.mark.usefixtures("helsinki_pbf")
def test_a_file_that_changes_during_the_build_is_refused(tmp_path: Path) -> None:
    file = crossing(tmp_path / "a.osm.pbf", {})

    class Changing(Progress):
        def begin(self, title: str) -> Callable[[float], None]:
            if title == "Roads for bicycles":
                crossing(file, {"maxheight": "1"})
            return super().begin(title)

    with pytest.raises(SetupError, match="changed during the build"):
        builder.build_city(tmp_path, file, "town", Changing())
    assert cities.list_summaries(tmp_path) == []


def test_two_builds_of_one_city_do_not_meet(tmp_path: Path, helsinki_pbf: Path) -> None:
    folder = MapFolder(tmp_path).cities
    folder.mkdir(parents=True)
    with (
        hold_lock(folder / ".town.lock"),
        pytest.raises(SetupError, match="Another `pannier map build` of town is running"),
    ):
        builder.build_city(tmp_path, helsinki_pbf, "town", Progress())
