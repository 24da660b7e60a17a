"""Two cities, a hundred kilometres apart, with a street of the same name."""

from collections.abc import Iterator
from pathlib import Path

from pannier.maps.address_build import build_from_objects
from pannier.maps.address_source import (
    CountrySource,
    HouseSource,
    PlaceSource,
    SourceItem,
    StreetSource,
)
from pannier.maps.folder import CityManifest, MapFolder, Profile

NORTH, SOUTH = (24.0, 61.0), (24.0, 60.0)


def make_house(
    number: str, street: str, city: tuple[float, float], **values: object
) -> HouseSource:
    """Make a house; an odd number lies north of an even one, and each is 10 metres further east."""
    digits = int("".join(filter(str.isdigit, number.partition("-")[0])))
    longitude = city[0] + digits * 0.0002
    usual: dict[str, object] = {
        "rank": 0,
        "number": number,
        "street": street,
        "place": None,
        "city": "Pohjola" if city == NORTH else "Etelä",
        "postal_code": None,
        "country": "FI",
        "point": (longitude, city[1] + digits % 2 * 0.0001),
    }
    return HouseSource(**{**usual, **values})  # type: ignore[arg-type] - as the test says


def make_street(name: str, city: tuple[float, float], **names: str) -> StreetSource:
    line = tuple((city[0] + step * 0.0005, city[1]) for step in range(12))
    return StreetSource((("", name), *names.items()), line)


def list_objects() -> Iterator[SourceItem]:
    yield CountrySource("FI", (("", "Suomi"), ("en", "Finland")))
    yield PlaceSource("city", (("", "Pohjola"), ("sv", "Norrby")), 300_000, NORTH)
    yield PlaceSource("town", (("", "Etelä"), ("sv", "Söderby")), 20_000, SOUTH)
    yield PlaceSource("suburb", (("", "Keskusta"),), 0, NORTH)
    for city in (NORTH, SOUTH):
        yield make_street("Koulukatu", city, sv="Skolgatan")
    yield make_street("Feldkircher Strasse", NORTH)
    yield make_street("Koulukatu", (24.003, 61.0), sv="Skolgatan")
    for number in ("1", "2", "10", "12", "14", "22-24"):
        yield make_house(number, "Koulukatu", NORTH)
    yield make_house("12", "Koulukatu", SOUTH, postal_code="20100")
    yield make_house("8", "Koulukatu", SOUTH)
    yield make_house("3", "Nimetönkuja", SOUTH)
    yield make_house("7", None, NORTH, place="Keskusta")
    yield make_house("2", "Koulukatu", NORTH, rank=2, point=(24.2, 61.2))


def use_cities(data: Path, profiles: tuple[Profile, ...] = ()) -> None:
    """Put an index of the two cities into a data directory, and use it."""
    maps = MapFolder(data)
    city = maps.get_city("two-cities")
    city.path.mkdir(parents=True, exist_ok=True)
    build_from_objects(list_objects(), city.addresses, lambda _: None)
    city.write_manifest(
        CityManifest(
            name=city.name,
            bounds=(23.9, 59.9, 24.1, 61.1),
            profiles=profiles,
            built_at="2026-01-15T12:00:00Z",
            source_name="two-cities.osm.pbf",
            source_sha256="0" * 64,
            attribution="© OpenStreetMap contributors",
        )
    )
    maps.use_city(city)
