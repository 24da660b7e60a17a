"""What a map is told to draw under everything: by setting, or the world that comes along."""

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest
from pmtiles.tile import TileType

import stage
from console import towns
from pannier.accounts.auth import SESSION_COOKIE
from pannier.console import assets, basemap, origins, tiles
from pannier.settings import SettingsError, load
from stage import Firm

TILE: Final = b"a tile"
OUTSIDE: Final = "https://maps.example.com"


@pytest.fixture(autouse=True)
def _nothing_open() -> Iterator[None]:
    yield
    tiles.open_archive.cache_clear()


@pytest.fixture
def archive(tmp_path: Path) -> str:
    """A file of tiles that knows one tile of a street."""
    path = tmp_path / "town.pmtiles"
    towns.write(path, (3, 4, 2), TILE)
    return str(path)


async def told(firm: Firm, path: str, **settings: str) -> httpx.Response:
    """Ask as the company's admin, of a house with some settings."""
    house = firm.house
    other = await stage.build(house.database, house.clock, house.settings.data, **settings)
    return await other.client(Cookie=f"{SESSION_COOKIE}={firm.token}").get(path)


async def test_without_settings_the_world_comes_along(acme: Firm) -> None:
    answer = (await told(acme, "/console/basemap/light")).json()
    assert set(answer["style"]["sources"]) == {"pannier-countries", "pannier-cities"}
    assert answer["atlas"] == assets.url("vendor/countries-50m.json")
    assert answer["fine_atlas"] == assets.url("vendor/countries-10m.json")
    atlases = (basemap.COARSE_ATLAS, basemap.FINE_ATLAS)
    assert sum(len(assets.load_store().files[atlas]) for atlas in atlases) < 5_000_000
    assert [layer["id"] for layer in answer["style"]["layers"]][:2] == ["water", "land"]
    assert {layer["source"] for layer in answer["layers"]} == {"pannier-features", "pannier-draft"}


async def test_light_and_dark_have_their_own_colours(acme: Firm) -> None:
    light, dark = [
        (await told(acme, f"/console/basemap/{name}")).json() for name in ("light", "dark")
    ]
    assert light["style"]["layers"][0]["paint"] != dark["style"]["layers"][0]["paint"]
    assert (await told(acme, "/console/basemap/pink")).status_code == 404


async def test_a_style_goes_before_tiles_of_any_kind(acme: Firm, archive: str) -> None:
    given = {"map_pmtiles": archive, "map_tile_url": f"{OUTSIDE}/{{z}}/{{x}}/{{y}}.png"}
    style = f"{OUTSIDE}/style.json"
    answer = await told(acme, "/console/basemap/light", map_style_url=style, **given)
    assert answer.json()["style"] == style
    streets = (await told(acme, "/console/basemap/light", **given)).json()["style"]
    assert "streets" in streets["sources"]
    assert "pictures" not in streets["sources"]


async def test_picture_tiles_are_drawn_with_whom_they_owe(acme: Firm) -> None:
    tiles = f"{OUTSIDE}/{{z}}/{{x}}/{{y}}.png"
    answer = await told(
        acme, "/console/basemap/dark", map_tile_url=tiles, map_attribution="© somebody"
    )
    source = answer.json()["style"]["sources"]["pictures"]
    assert (source["tiles"], source["attribution"]) == ([tiles], "© somebody")


async def test_a_file_of_tiles_is_served_as_it_is_packed(acme: Firm, archive: str) -> None:
    style = (await told(acme, "/console/basemap/light", map_pmtiles=archive)).json()["style"]
    assert style["sources"]["streets"]["attribution"] == "© the town"
    drawn = {layer.get("source-layer") for layer in style["layers"]} - {None}
    assert drawn == {"water", "transportation"}
    found = await told(acme, "/console/tiles/3/4/2.mvt", map_pmtiles=archive)
    assert (found.status_code, found.content) == (200, TILE)
    assert found.headers["content-type"] == "application/vnd.mapbox-vector-tile"


@pytest.mark.parametrize(
    ("path", "status"), [("3/4/3.mvt", 204), ("3/8/2.mvt", 204), ("40/0/0.mvt", 204),
                         ("3/4/2.png", 404), ("3/4/x.mvt", 404)],
)  # fmt: skip
async def test_a_tile_that_there_is_not_is_nothing(
    acme: Firm, archive: str, path: str, status: int
) -> None:
    answer = await told(acme, f"/console/tiles/{path}", map_pmtiles=archive)
    assert answer.status_code == status


def test_nothing_is_kept_of_a_file_that_is_no_longer_in_use(archive: str) -> None:
    former = tiles.TileArchive(Path(archive))
    assert former.tile(3, 4, 2) is not None
    watched = weakref.ref(former)
    del former
    gc.collect()
    assert watched() is None


async def test_without_a_file_there_are_no_tiles(acme: Firm) -> None:
    assert (await told(acme, "/console/tiles/3/4/2.mvt")).status_code == 404


def test_a_file_that_is_no_file_of_vector_tiles_is_refused_in_a_sentence(tmp_path: Path) -> None:
    pictures, torn = tmp_path / "pictures.pmtiles", tmp_path / "torn.pmtiles"
    towns.write(pictures, (3, 4, 2), TILE, TileType.PNG)
    torn.write_bytes(b"PMTiles?" * 40)
    for path in (pictures, torn, tmp_path / "nowhere.pmtiles"):
        with pytest.raises(SettingsError, match=r"^PANNIER_MAP_PMTILES=.* cannot be used: "):
            tiles.check_tile_file(load({}, data=str(tmp_path), map_pmtiles=str(path)))


@pytest.mark.parametrize(
    ("settings", "added"),
    [
        ({}, ""),
        ({"map_pmtiles": "town.pmtiles", "map_tile_url": f"{OUTSIDE}/{{z}}"}, ""),
        ({"map_tile_url": f"{OUTSIDE}:8443/tiles/{{z}}/{{x}}/{{y}}.png"}, f" {OUTSIDE}:8443"),
        ({"map_style_url": f"{OUTSIDE}/style.json?key=1"}, f" {OUTSIDE}"),
    ],
)
def test_policies_name_the_origin_of_maps_and_no_other(
    tmp_path: Path, settings: dict[str, str], added: str
) -> None:
    assert origins.format_map_source(load({}, data=str(tmp_path), **settings)) == added


async def test_a_worker_of_the_map_may_ask_where_the_map_comes_from(acme: Firm) -> None:
    path = assets.url("vendor/maplibre/maplibre-gl-worker.mjs")
    answer = await told(acme, path, map_style_url=f"{OUTSIDE}/style.json")
    assert f"connect-src 'self' {OUTSIDE};" in answer.headers["content-security-policy"]
