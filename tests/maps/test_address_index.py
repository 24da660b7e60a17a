"""An address index is built from an extract, and finds addresses as people type them."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from maps.two_cities import NORTH, SOUTH, list_objects
from pannier.errors import SetupError
from pannier.kit.geo import Point
from pannier.maps.address_build import build_address_index, build_from_objects
from pannier.maps.address_index import AddressIndex
from pannier.maps.address_nearby import find_address
from pannier.maps.address_results import IndexedAddress, estimate_point
from pannier.maps.address_search import AddressQuery, search_addresses, strip_country

Search = Callable[..., list[str]]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AddressIndex]:
    path = tmp_path_factory.mktemp("addresses") / "addresses.sqlite"
    build_from_objects(list_objects(), path, lambda _: None)
    assert [file.name for file in path.parent.iterdir()] == [path.name], "nothing is left over"
    opened = AddressIndex.open(path)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def find(index: AddressIndex) -> Search:
    return lambda text, **values: [
        write(address) for address in search_addresses(index, AddressQuery(text=text, **values))
    ]


def write(address: IndexedAddress) -> str:
    code = " ".join(filter(None, (address.postal_code, address.city)))
    return f"{address.street1 or address.name}, {code}"


@pytest.mark.parametrize(
    "text",
    [
        "Koulukatu 12 Pohjola",
        "koulukatu 12, pohjola",
        "12 Koulukatu Pohjola",
        "Pohjola Koulukatu 12",
        "Koulukatu 12, Pohjola, Finland",
        "Koulukatu 12 Pohjola FINLAND",
        "Koulukatu 12, Pohjola, FI",
        "KOULUKATU 12 POHJOLA",
        "koulu katu 12 pohjola",
        "Koulukatu 12 A 5, Pohjola",
        "koulukat 12 pohjola",
        "koluukatu 12 pohjola",
        "koulukatu 12 pohjla",
        "Koulukatu 12 99999 Pohjola",
    ],
)
def test_an_address_is_found_however_it_is_typed(find: Search, text: str) -> None:
    assert find(text)[0] == "Koulukatu 12, Pohjola"


def test_an_address_is_suggested_from_its_beginning_on(find: Search) -> None:
    typed = "Koulukatu 12 Pohjola"
    for end in range(4, len(typed) + 1):
        assert any(each.startswith("Koulukatu") for each in find(typed[:end])), typed[:end]


def test_a_name_is_answered_in_its_language(find: Search) -> None:
    assert find("Skolgatan 12 Norrby")[0] == "Skolgatan 12, Norrby"
    assert find("Söderby")[0] == "Söderby, Söderby"


def test_postcodes_and_cities_narrow_a_search(find: Search) -> None:
    assert find("20100 koulukatu 12")[0] == "Koulukatu 12, 20100 Etelä"
    assert find("20100")[0] == "20100, 20100 Etelä"
    assert find("koulukatu 8")[0] == "Koulukatu 8, 20100 Etelä", "as its neighbour"


def test_what_is_near_comes_first(find: Search) -> None:
    assert find("koulukatu 12")[:2] == ["Koulukatu 12, Pohjola", "Koulukatu 12, 20100 Etelä"]
    assert find("koulukatu 12", near=Point(*SOUTH))[0] == "Koulukatu 12, 20100 Etelä"


def test_numbers_that_begin_like_the_typed_one_follow_it(find: Search) -> None:
    assert find("Koulukatu Pohjola 1")[:4] == [
        "Koulukatu 1, Pohjola",
        "Koulukatu 10, Pohjola",
        "Koulukatu 12, Pohjola",
        "Koulukatu 14, Pohjola",
    ]


def test_a_number_within_a_range_is_found(find: Search) -> None:
    assert find("Koulukatu 24 Pohjola")[0] == "Koulukatu 24, Pohjola"
    assert find("Koulukatu 22-24 Pohjola")[0] == "Koulukatu 22-24, Pohjola"


def test_an_unknown_number_lies_between_its_neighbours(index: AddressIndex) -> None:
    [street, *_] = search_addresses(index, AddressQuery(text="Koulukatu 6 Pohjola"))
    assert street.quality == "street"
    assert street.point == Point(24.0012, 61.0)
    assert estimate_point([], "6") is None
    assert estimate_point([], "x") is None


def test_house_numbers_are_found_without_a_street_on_the_map(find: Search) -> None:
    assert find("Nimetönkuja 3")[0] == "Nimetönkuja 3, Etelä"
    assert find("Keskusta 7")[0] == "Keskusta 7, Pohjola"


def test_a_building_comes_before_a_business_with_the_same_number(index: AddressIndex) -> None:
    [house, *_] = search_addresses(index, AddressQuery(text="Koulukatu 2 Pohjola"))
    assert house.point == Point(24.0004, 61.0)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Koulukatu 12, Pohjola", ["Koulukatu 12, Pohjola"]),
        ("Koulukatu 12, 20100 Etelä", ["Koulukatu 12, 20100 Etelä"]),
        ("Koulukatu 12, 99999 Pohjola", ["Koulukatu 12, Pohjola"]),
        ("Koulukatu 12", []),
        ("Koulukatu 12, Tampere", []),
        ("Koulukatu 12, 99999", []),
        ("Koulukato 12, Pohjola", []),
        ("Koulu", []),
        ("Feldkircherstr. 5, Pohjola", ["Feldkircher Strasse, Pohjola"]),
        ("Nowhere 9, Pohjola", []),
        ("!?", []),
    ],
)
def test_a_strict_search_does_not_guess(find: Search, text: str, found: list[str]) -> None:
    assert find(text, is_strict=True) == found


def test_only_the_chosen_country_is_searched(find: Search) -> None:
    assert find("koulukatu 12", country="SE") == []
    assert find("koulukatu 12", country="FI")


def test_a_country_is_taken_from_the_end_only() -> None:
    names = {"FI": ["Suomi", "Finland"], "DE": ["Deutschland"]}
    assert strip_country("Kaivokatu 1, Finland", names) == ("Kaivokatu 1", "FI")
    assert strip_country("Kaivokatu 1 suomi", names) == ("Kaivokatu 1", "FI")
    assert strip_country("Rue de", names) == ("Rue de", None)
    assert strip_country("Finland", names) == ("Finland", None)


@pytest.mark.parametrize(
    ("point", "address"),
    [
        ((24.0024, 61.00005), "Koulukatu 12, Pohjola"),
        ((24.0060, 61.0010), "Koulukatu, Pohjola"),
        ((24.05, 61.05), "Pohjola, Pohjola"),
    ],
)
def test_a_point_gets_the_nearest_address(
    index: AddressIndex, point: tuple[float, float], address: str
) -> None:
    nearest = find_address(index, Point(*point))
    assert nearest is not None
    assert write(nearest) == address


def test_a_point_in_the_sea_has_no_address(index: AddressIndex) -> None:
    for point in (Point(0, 0), Point(180, 90), Point(-180, -90)):
        assert find_address(index, point) is None


@pytest.mark.parametrize(
    "text", ["", " ", ",", "'", "%", "\0", "a" * 500, "1 " * 100, "ß" * 100, "🙂"]
)
def test_any_text_can_be_searched(find: Search, text: str) -> None:
    assert find(text) == find(text)


def test_an_index_of_another_version_or_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="cannot be read"):
        AddressIndex.open(tmp_path / "none.sqlite")
    damaged = tmp_path / "damaged.sqlite"
    damaged.write_bytes(b"SQLite format 3\0 and then nothing")
    with pytest.raises(SetupError, match="cannot be read"):
        AddressIndex.open(damaged)


def test_a_country_without_house_numbers_makes_an_index_too(tmp_path: Path) -> None:
    path = tmp_path / "addresses.sqlite"
    counts = build_from_objects(iter(()), path, lambda _: None)
    assert counts == {"houses": 0, "streets": 0, "places": 0, "postcodes": 0}
    index = AddressIndex.open(path)
    assert search_addresses(index, AddressQuery(text="anything")) == []
    assert find_address(index, Point(*NORTH)) is None


def test_a_real_city_is_found_in_its_languages(helsinki_pbf: Path, tmp_path: Path) -> None:
    path = tmp_path / "addresses.sqlite"
    counts = build_address_index(helsinki_pbf, path, None, lambda _: None)
    assert counts["houses"] > 600
    assert counts["streets"] > 100
    index = AddressIndex.open(path)
    for text, address in (
        ("mannerhiemintie 10", "Mannerheimintie 10, 00100 Helsinki"),
        ("Mannerheimvägen 10 helsingfors", "Mannerheimvägen 10, 00100 Helsingfors"),
        ("Хельсинки", "Хельсинки, Хельсинки"),
        ("etelaesplanadi", "Eteläesplanadi, Helsinki"),
    ):
        [first, *_] = search_addresses(index, AddressQuery(text=text))
        assert write(first) == address
        assert first.country == "FI"
    nearest = find_address(index, Point(24.94136, 60.16759))
    assert nearest is not None
    assert nearest.street1 == "Mannerheimintie 10"
