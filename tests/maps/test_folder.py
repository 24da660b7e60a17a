"""Where city files lie, and which city is in use."""

from pathlib import Path

import pytest

from pannier.maps.folder import CityFolder, CityManifest, MapFolder


def complete(city: CityFolder) -> CityFolder:
    city.write_manifest(
        CityManifest(
            name=city.name,
            bounds=(24.93, 60.16, 24.95, 60.18),
            profiles=("car",),
            built_at="2026-01-15T12:00:00Z",
            source_name="Helsinki.osm.pbf",
            source_sha256="0" * 64,
            attribution="© OpenStreetMap contributors",
        )
    )
    return city


def test_a_city_counts_once_its_manifest_is_written(tmp_path: Path) -> None:
    maps = MapFolder(tmp_path)
    assert maps.list_cities() == []
    half_built = maps.get_city("half-built")
    half_built.path.mkdir(parents=True)
    complete(maps.get_city("helsinki"))
    assert [city.name for city in maps.list_cities()] == ["helsinki"]


def test_the_city_in_use_is_remembered_and_gone_with_its_manifest(tmp_path: Path) -> None:
    maps = MapFolder(tmp_path)
    assert maps.find_current_city() is None
    city = complete(maps.get_city("helsinki"))
    maps.use_city(city)
    current = maps.find_current_city()
    assert current is not None
    assert current.name == "helsinki"
    (city.path / "manifest.json").write_text("{")
    assert maps.find_current_city() is None
    complete(city)
    maps.use_city(None)
    assert maps.find_current_city() is None


@pytest.mark.parametrize("name", ["", "../secrets", "Helsinki", "a/b", ".hidden", "-x", "x" * 64])
def test_a_name_cannot_leave_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a valid city name"):
        MapFolder(tmp_path).get_city(name)
