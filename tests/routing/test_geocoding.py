"""Addresses without a point get one afterwards, and suggestions come while somebody types."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

import stage
from orders.shop import MANDAI, Shop
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.orders import remeasure
from pannier.places.geocoding_worker import GeocodingWorker
from pannier.routing.breaker import MAX_FAILURES
from pannier.routing.configuration import create_geocoder
from pannier.routing.geocoder_protocols import Photon
from pannier.routing.geocoding import MAX_PUBLIC_SEARCHES, GeocodeQuery, GeocoderUnavailable
from pannier.routing.remote_geocoder import MAX_CONCURRENT_CALLS, RemoteGeocoder
from pannier.web.fair_queue import FairQueue
from pannier.web.http_client import HttpClient
from program import PATIENCE
from rates.counter import BY_KILOMETRE, rate
from routing import machines
from routing.machines import Machine

ADDRESS = {"street1": "1 Raffles Place", "city": "Singapore", "country": "SG"}
POINT = {"type": "Point", "coordinates": [103.851, 1.284]}
Mapped = tuple[Shop, Machine]


@pytest.fixture(params=["nominatim", "photon"])
async def mapped(
    request: pytest.FixtureRequest, database: Database, clock: ManualClock, tmp_path: Path
) -> AsyncIterator[Mapped]:
    """A shop in a house with a geocoder of each kind."""
    async with machines.opened(getattr(machines, request.param)) as machine:
        named = {"geocoder": request.param, "geocoder_url": machine.url}
        house = await stage.build(database, clock, str(tmp_path), **named)
        yield Shop(await house.found("Acme")), machine


async def locate(shop: Shop) -> int:
    """Let the worker find all points that are waited for."""
    house, count = shop.firm.house, 0
    geocoder = create_geocoder(house.settings, house.clock)
    assert geocoder is not None
    locator = GeocodingWorker(house.database, geocoder)
    while await locator.step():
        count += 1
    return count


async def seen(shop: Shop, place: dict[str, Any]) -> dict[str, Any]:
    return await shop.get(f"places/{place['id']}")


async def test_an_address_gets_its_point_afterwards_with_its_quality(mapped: Mapped) -> None:
    shop, machine = mapped
    place = await shop.post("places", **ADDRESS)
    assert (place["location"], place["geocoding"]["status"]) == (None, "waiting")
    assert machine.asked == [], "nobody waits for the geocoder with a transaction open"
    assert await locate(shop) == 1
    place = await seen(shop, place)
    assert place["location"] == POINT
    assert place["geocoding"] == {
        "status": "found",
        "source": shop.firm.house.settings.geocoder,
        "quality": "house",
        "located_at": "2026-01-15T12:00:00.000Z",
    }
    assert await locate(shop) == 0


async def test_a_point_that_was_given_is_never_overwritten(mapped: Mapped) -> None:
    shop, machine = mapped
    place = await shop.post("places", **MANDAI)
    assert place["geocoding"] is None
    place = await shop.patch(f"places/{place['id']}", street1="1 Raffles Place")
    assert await locate(shop) == 0
    assert (await seen(shop, place))["location"]["coordinates"] == [103.79, 1.404]
    assert machine.asked == []


async def test_companies_take_turns_however_many_places_one_of_them_has(mapped: Mapped) -> None:
    shop, _ = mapped
    house = shop.firm.house
    geocoder = create_geocoder(house.settings, house.clock)
    assert geocoder is not None
    for _ in range(5):
        await shop.post("places", **ADDRESS)
    locator = GeocodingWorker(house.database, geocoder)
    assert await locator.step()
    house.clock.advance(seconds=1)
    late = [Shop(await house.found(name)) for name in ("Rival", "Small")]
    theirs = [(other, await other.post("places", **ADDRESS)) for other in late]
    for _ in range(3):
        assert await locator.step()
    assert [(await seen(*place))["location"] for place in theirs] == [POINT, POINT]
    assert await locate(shop) == 3


async def test_a_point_given_while_the_geocoder_is_asked_wins(mapped: Mapped) -> None:
    shop, machine = mapped
    house = shop.firm.house
    place = await shop.post("places", **ADDRESS)
    geocoder = create_geocoder(house.settings, house.clock)
    assert geocoder is not None
    machine.open.clear()
    asking = asyncio.create_task(GeocodingWorker(house.database, geocoder).step())
    await machine.crowd(1)
    await shop.patch(f"places/{place['id']}", latitude=1.0, longitude=103.0)
    machine.open.set()
    assert await asking
    place = await seen(shop, place)
    assert place["location"]["coordinates"] == [103.0, 1.0]
    assert place["geocoding"] is None


async def test_a_new_address_is_found_anew(mapped: Mapped) -> None:
    shop, _ = mapped
    place = await shop.post("places", **ADDRESS)
    await locate(shop)
    place = await shop.patch(f"places/{place['id']}", street1="Nowhere 9", city="")
    assert (place["location"], place["geocoding"]["status"]) == (None, "waiting")
    await locate(shop)
    place = await seen(shop, place)
    assert (place["location"], place["geocoding"]["status"]) == (None, "not_found")


async def test_a_geocoder_that_is_away_is_asked_again_later(mapped: Mapped) -> None:
    shop, machine = mapped
    machine.status = 503
    place = await shop.post("places", **ADDRESS)
    assert await locate(shop) == 1
    assert (await seen(shop, place))["geocoding"]["status"] == "waiting"
    machine.status = 200
    assert await locate(shop) == 0, "not at once"
    shop.firm.house.clock.advance(minutes=5)
    assert await locate(shop) == 1
    assert (await seen(shop, place))["location"] == POINT


@pytest.mark.parametrize(
    "raw",
    [b"nonsense", b"[{}]", b'[{"lat":"999","lon":"1"}]', b'{"features":[{"geometry":{}}]}'],
    ids=str,
)
async def test_a_geocoder_that_lies_is_not_believed(mapped: Mapped, raw: bytes) -> None:
    shop, machine = mapped
    machine.raw = raw
    place = await shop.post("places", **ADDRESS)
    await locate(shop)
    assert (await seen(shop, place))["location"] is None


async def test_an_order_to_an_address_is_measured_when_its_point_is_found(mapped: Mapped) -> None:
    shop, _ = mapped
    order = await shop.order(pickup=ADDRESS, dropoff=MANDAI)
    assert order["distance"] is None
    await locate(shop)
    while await remeasure.step(shop.firm.house.database):
        pass
    assert (await shop.get(f"orders/{order['id']}"))["distance"] > 10_000


async def test_an_order_that_is_out_gets_its_price_when_its_point_is_found(mapped: Mapped) -> None:
    shop, _ = mapped
    await rate(shop.firm, **BY_KILOMETRE)
    order = await shop.ready(pickup=MANDAI, dropoff=ADDRESS)
    order = await shop.act(order, "dispatch")
    assert order["price_status"] == "unpriced"
    assert await locate(shop) == 1
    while await remeasure.step(shop.firm.house.database):
        pass
    assert (await shop.get(f"orders/{order['id']}"))["price_status"] == "accepted"


async def test_without_a_geocoder_an_address_stays_without_a_point_and_says_so(shop: Shop) -> None:
    place = await shop.post("places", **ADDRESS)
    assert place["location"] is None
    assert place["geocoding"]["status"] == "off"


async def test_addresses_are_suggested_while_one_types(mapped: Mapped) -> None:
    shop, machine = mapped
    own = await shop.post("places", name="Depot", **ADDRESS, latitude=1.28, longitude=103.85)
    asked = {"query": "Raffles", "near": "1.28,103.85", "country": "sg"}
    answer = await shop.firm.api.post("/v1/places/lookup", json=asked)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["geocoder"] == shop.firm.house.settings.geocoder
    first, second = found["suggestions"]
    assert first["place"] == own["id"]
    assert second["place"] is None
    assert second["location"] == POINT
    assert second["postal_code"] == "048616"
    assert second["quality"] == "house"
    machine.status = 500
    shop.firm.house.clock.advance(minutes=20)
    answer = await shop.firm.api.post("/v1/places/lookup", json=asked)
    assert [each["place"] for each in answer.json()["suggestions"]] == [own["id"]]
    assert answer.json()["geocoder"] is None


async def test_without_a_geocoder_ones_own_places_are_suggested_and_nobody_elses(
    shop: Shop, rival: stage.Firm
) -> None:
    own = await shop.post("places", **ADDRESS)
    await Shop(rival).post("places", **ADDRESS)
    answer = await shop.firm.api.post("/v1/places/lookup", json={"query": "raff"})
    assert [each["place"] for each in answer.json()["suggestions"]] == [own["id"]]
    for short in ("r", "  r  "):
        refused = await shop.firm.api.post("/v1/places/lookup", json={"query": short})
        assert refused.status_code == 422


async def test_what_a_geocoder_makes_nothing_of_does_not_shut_out_the_others(
    mapped: Mapped,
) -> None:
    shop, machine = mapped
    machine.status = 400
    for number in range(7):
        await shop.post("places", street1=f"{number} ?")
    assert await locate(shop) == 7
    machine.status = 200
    place = await shop.post("places", **ADDRESS)
    await locate(shop)
    assert (await seen(shop, place))["location"] == POINT


async def test_what_was_asked_lately_is_not_asked_again(mapped: Mapped) -> None:
    shop, machine = mapped
    client = shop.firm.house.client(shop.firm.storefront_key)
    for typed in ("Raffles", "raffles ", "nowhere", "nowhere"):
        answer = await client.get("/storefront/v1/addresses", params={"query": typed})
        assert answer.status_code == 200, answer.text
        assert bool(answer.json()) == ("affles" in typed)
    for _ in range(2):
        away = await client.get("/storefront/v1/addresses/reverse?location=-40,0")
        assert away.status_code == 404
    assert len(machine.asked) == 3
    shop.firm.house.clock.advance(minutes=20)
    await client.get("/storefront/v1/addresses?query=raffles")
    assert len(machine.asked) == 4


async def test_a_failed_answer_is_not_kept(mapped: Mapped) -> None:
    shop, machine = mapped
    machine.status = 500
    failed = await shop.firm.api.get("/v1/addresses?query=raffles")
    assert failed.status_code == 503
    machine.status = 200
    found = await shop.firm.api.get("/v1/addresses?query=raffles")
    assert found.json()[0]["street1"] == "1 Raffles Place"


async def test_strangers_leave_room_at_a_slow_geocoder(mapped: Mapped) -> None:
    shop, machine = mapped
    client = shop.firm.house.client(shop.firm.storefront_key)
    machine.open.clear()
    strangers = [
        asyncio.create_task(client.get(f"/storefront/v1/addresses?query=raffles+{number}"))
        for number in range(2 * MAX_CONCURRENT_CALLS)
    ]
    await machine.crowd(MAX_PUBLIC_SEARCHES)
    own = asyncio.create_task(shop.firm.api.get("/v1/addresses?query=raffles"))
    await machine.crowd(MAX_PUBLIC_SEARCHES + 1)
    assert "+" not in str(machine.asked[MAX_PUBLIC_SEARCHES].rel_url)
    machine.open.set()
    assert (await own).status_code == 200
    assert {answer.status_code for answer in await asyncio.gather(*strangers)} <= {200, 503}


async def test_strangers_at_one_shop_do_not_delay_a_search_at_another(mapped: Mapped) -> None:
    shop, machine = mapped
    house = shop.firm.house
    rival = await house.found("Rival")
    client, other_client = map(house.client, (shop.firm.storefront_key, rival.storefront_key))
    queue: FairQueue = house.edge.services["geocoder"].public_searches
    machine.open.clear()
    strangers = [
        asyncio.create_task(client.get(f"/storefront/v1/addresses?query=raffles+{number}"))
        for number in range(MAX_PUBLIC_SEARCHES + 6)
    ]
    await machine.crowd(MAX_PUBLIC_SEARCHES)
    other = asyncio.create_task(other_client.get("/storefront/v1/addresses?query=mandai"))
    async with asyncio.timeout(PATIENCE):
        while not queue.count_waiting(rival.uuid):
            assert not other.done(), other.result().text
            await asyncio.sleep(0.001)
    machine.open.set()
    assert (await other).status_code == 200
    next_searches = machine.asked[: MAX_PUBLIC_SEARCHES + 2]
    assert any("mandai" in str(asked.rel_url) for asked in next_searches)
    await asyncio.gather(*strangers)


async def test_a_crowd_of_searches_does_not_make_a_slow_geocoder_unavailable(
    clock: ManualClock,
) -> None:
    async with machines.opened(machines.photon) as machine:
        machine.open.clear()
        geocoder = RemoteGeocoder(
            HttpClient(), machine.url, Photon(), clock, timeout_seconds=60.0, max_wait_seconds=0.01
        )
        slow = [
            asyncio.create_task(geocoder.find(GeocodeQuery(text=f"Raffles {number}")))
            for number in range(MAX_CONCURRENT_CALLS)
        ]
        await machine.crowd(len(slow))
        for _ in range(MAX_FAILURES):
            with pytest.raises(GeocoderUnavailable):
                await geocoder.find(GeocodeQuery(text="Raffles Place"))
        assert not geocoder.is_unavailable
        machine.open.set()
        assert all(await asyncio.gather(*slow))
        assert await geocoder.find(GeocodeQuery(text="Raffles Place"))
