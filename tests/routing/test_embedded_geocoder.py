"""Addresses are found in the city in use, with no other service."""

import asyncio
from pathlib import Path

import pytest

import stage
from maps.two_cities import use_cities
from orders.shop import Shop
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.kit.geo import Point
from pannier.maps.folder import MapFolder
from pannier.places.geocoding_worker import GeocodingWorker
from pannier.routing import embedded_geocoder
from pannier.routing.configuration import create_geocoder
from pannier.routing.geocoding import GeocodeQuery, Geocoder, GeocoderUnavailable
from pannier.settings import load
from stage import Firm

HOUSE = {"street1": "Koulukatu 12", "city": "Pohjola", "country": "FI"}


def make_geocoder(data: Path, clock: ManualClock, **settings: str) -> Geocoder:
    geocoder = create_geocoder(load({}, data=str(data), **settings), clock)
    assert geocoder is not None
    return geocoder


async def locate(shop: Shop) -> int:
    """Let the worker find all points that are waited for."""
    house, count = shop.firm.house, 0
    worker = GeocodingWorker(house.database, make_geocoder(house.settings.folder, house.clock))
    while await worker.step():
        count += 1
    return count


@pytest.fixture
async def settled(database: Database, clock: ManualClock, tmp_path: Path) -> Shop:
    """A shop in a house where a city is in use."""
    use_cities(tmp_path)
    house = await stage.build(database, clock, str(tmp_path))
    return Shop(await house.found("Acme"))


async def test_a_place_without_a_point_gets_it_from_the_city_in_use(settled: Shop) -> None:
    place = await settled.post("places", **HOUSE, building="Unknown tower")
    assert place["geocoding"]["status"] == "waiting"
    assert await locate(settled) == 1
    place = await settled.get(f"places/{place['id']}")
    assert place["location"]["coordinates"] == [24.0024, 61.0]
    assert place["geocoding"]["source"] == "embedded"
    assert place["geocoding"]["quality"] == "house"


@pytest.mark.parametrize(
    "address",
    [
        {"street1": "Koulukatu 12"},
        {"street1": "Koulukatu 12", "city": "Tampere"},
        {"street1": "Koulukta 12", "city": "Pohjola"},
        {"street1": "Koulukatu 12", "city": "Pohjola", "country": "SE"},
    ],
)
async def test_an_address_that_is_not_certain_gets_no_point(
    settled: Shop, address: dict[str, str]
) -> None:
    place = await settled.post("places", **address)
    assert await locate(settled) == 1
    place = await settled.get(f"places/{place['id']}")
    assert place["location"] is None
    assert place["geocoding"]["status"] == "not_found"


async def test_places_wait_until_a_city_is_in_use(acme: Firm) -> None:
    shop = Shop(acme)
    place = await shop.post("places", **HOUSE)
    assert place["geocoding"]["status"] == "off"
    assert await locate(shop) == 0
    use_cities(acme.house.settings.folder)
    assert await locate(shop) == 1
    assert (await shop.get(f"places/{place['id']}"))["geocoding"]["status"] == "found"


async def test_another_choice_of_city_counts_without_a_restart(
    tmp_path: Path, clock: ManualClock
) -> None:
    geocoder = make_geocoder(tmp_path, clock)
    query = GeocodeQuery(text="koulukatu")
    assert geocoder.is_unavailable
    with pytest.raises(GeocoderUnavailable):
        await geocoder.find(query)
    use_cities(tmp_path)
    assert not geocoder.is_unavailable
    assert await geocoder.find(query)
    nearest = await geocoder.find_address(Point(24.0024, 61.0))
    assert nearest is not None
    assert nearest.street1 == "Koulukatu 12"
    MapFolder(tmp_path).use_city(None)
    assert geocoder.is_unavailable
    with pytest.raises(GeocoderUnavailable):
        await geocoder.find_address(Point(24.0024, 61.0))


async def test_an_index_that_cannot_be_read_is_as_good_as_none(
    tmp_path: Path, clock: ManualClock
) -> None:
    use_cities(tmp_path)
    index = MapFolder(tmp_path).get_city("two-cities").addresses
    index.write_bytes(index.read_bytes()[:5000])
    geocoder = make_geocoder(tmp_path, clock)
    with pytest.raises(GeocoderUnavailable):
        await geocoder.find(GeocodeQuery(text="koulukatu"))


async def test_no_more_searches_wait_than_can_be_done(tmp_path: Path, clock: ManualClock) -> None:
    use_cities(tmp_path)
    geocoder = make_geocoder(tmp_path, clock)
    query = GeocodeQuery(text="koulukatu")
    many = [geocoder.find(query) for _ in range(embedded_geocoder.MAX_WAITING + 8)]
    results = await asyncio.gather(*many, return_exceptions=True)
    assert sum(isinstance(result, GeocoderUnavailable) for result in results) == 8
    assert await geocoder.find(query)
