"""The streets of the city in use are drawn on every map."""

import shutil
from pathlib import Path

import httpx
import pytest

import stage
from console import towns
from pannier.accounts.auth import SESSION_COOKIE
from pannier.console import origins
from pannier.maps.folder import CityFolder, CityManifest, MapFolder
from pannier.settings import load
from stage import Firm

OUTSIDE = "https://maps.example.com/{z}/{x}/{y}.png"


def build(data: Path, name: str, tile: bytes) -> CityFolder:
    """Make a city of one tile."""
    city = MapFolder(data).get_city(name)
    city.path.mkdir(parents=True)
    towns.write(city.streets, (3, 4, 2), tile)
    city.write_manifest(
        CityManifest(
            name=name,
            bounds=(24.93, 60.16, 24.95, 60.18),
            profiles=("car",),
            built_at="2026-01-15T12:00:00Z",
            source_name=f"{name}.osm.pbf",
            source_sha256="0" * 64,
            attribution="© OpenStreetMap contributors",
        )
    )
    return city


async def ask(firm: Firm, data: Path, *paths: str, **settings: str) -> list[httpx.Response]:
    """Ask as the company's admin, of an installation with another data directory."""
    house = firm.house
    other = await stage.build(house.database, house.clock, str(data), **settings)
    client = other.client(Cookie=f"{SESSION_COOKIE}={firm.token}")
    return [await client.get(path) for path in paths]


TILE = "/console/tiles/3/4/2.mvt"
LIGHT = "/console/basemap/light"


async def test_the_city_in_use_is_drawn_with_its_attribution(acme: Firm, tmp_path: Path) -> None:
    assert (await ask(acme, tmp_path, TILE))[0].status_code == 404
    maps = MapFolder(tmp_path)
    maps.use_city(build(tmp_path, "helsinki", b"one"))
    tile, basemap = await ask(acme, tmp_path, TILE, LIGHT)
    assert tile.content == b"one"
    assert basemap.json()["style"]["sources"]["streets"]["attribution"] == "© the town"


async def test_another_choice_counts_without_a_restart(acme: Firm, tmp_path: Path) -> None:
    maps = MapFolder(tmp_path)
    maps.use_city(build(tmp_path, "helsinki", b"one"))
    house = acme.house
    other = await stage.build(house.database, house.clock, str(tmp_path))
    client = other.client(Cookie=f"{SESSION_COOKIE}={acme.token}")
    assert (await client.get(TILE)).content == b"one"
    maps.use_city(build(tmp_path, "vaduz", b"two"))
    assert (await client.get(TILE)).content == b"two"
    shutil.rmtree(maps.get_city("vaduz").path)
    assert (await client.get(TILE)).status_code == 404
    maps.use_city(maps.get_city("helsinki"))
    assert (await client.get(TILE)).content == b"one"
    maps.use_city(None)
    assert (await client.get(TILE)).status_code == 404


async def test_damaged_streets_leave_the_world_map(acme: Firm, tmp_path: Path) -> None:
    city = build(tmp_path, "helsinki", b"one")
    city.streets.write_bytes(b"PMTiles?" * 40)
    MapFolder(tmp_path).use_city(city)
    tile, basemap = await ask(acme, tmp_path, TILE, LIGHT)
    assert tile.status_code == 404
    assert "streets" not in basemap.json()["style"]["sources"]


@pytest.mark.parametrize("setting", ["map_style_url", "map_pmtiles"])
async def test_a_configured_map_goes_before_the_city(
    acme: Firm, tmp_path: Path, setting: str
) -> None:
    MapFolder(tmp_path).use_city(build(tmp_path, "helsinki", b"one"))
    file = tmp_path / "own.pmtiles"
    towns.write(file, (3, 4, 2), b"own")
    own = {"map_style_url": "https://maps.example.com/s.json", "map_pmtiles": str(file)}[setting]
    basemap, tile = await ask(acme, tmp_path, LIGHT, TILE, **{setting: own})
    if setting == "map_style_url":
        assert basemap.json()["style"] == own
    else:
        assert tile.content == b"own"


async def test_the_city_goes_before_raster_tiles(acme: Firm, tmp_path: Path) -> None:
    settings = load({}, data=str(tmp_path), map_tile_url=OUTSIDE)
    assert origins.format_map_source(settings) == " https://maps.example.com"
    MapFolder(tmp_path).use_city(build(tmp_path, "helsinki", b"one"))
    (basemap,) = await ask(acme, tmp_path, LIGHT, map_tile_url=OUTSIDE)
    assert "pictures" not in basemap.json()["style"]["sources"]
    assert origins.format_map_source(settings) == ""
