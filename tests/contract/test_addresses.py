"""Addresses are suggested while somebody types, and found for a point, in each geocoder alike."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import stage
from maps.two_cities import use_cities
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.places import address_search
from routing import machines
from stage import Firm

KOULUKATU = {
    "label": "Koulukatu 12, Pohjola, FI",
    "street1": "Koulukatu 12",
    "city": "Pohjola",
    "postal_code": None,
    "country": "FI",
    "location": {"type": "Point", "coordinates": [24.0024, 61.0]},
    "quality": "house",
}
RAFFLES = {
    "street1": "1 Raffles Place",
    "city": "Singapore",
    "postal_code": "048616",
    "country": "SG",
    "location": {"type": "Point", "coordinates": [103.851, 1.284]},
    "quality": "house",
}


@pytest.fixture
async def settled(database: Database, clock: ManualClock, tmp_path: Path) -> Firm:
    """A company in a house where a city is in use."""
    use_cities(tmp_path)
    house = await stage.build(database, clock, str(tmp_path))
    return await house.found("Acme")


@pytest.fixture(params=["nominatim", "photon"])
async def served(
    request: pytest.FixtureRequest, database: Database, clock: ManualClock, tmp_path: Path
) -> AsyncIterator[tuple[Firm, machines.Machine]]:
    """A company in a house with a geocoder of each kind."""
    async with machines.opened(getattr(machines, request.param)) as machine:
        named = {"geocoder": request.param, "geocoder_url": machine.url}
        house = await stage.build(database, clock, str(tmp_path), **named)
        yield await house.found("Acme"), machine


def callers(firm: Firm) -> list[tuple[httpx.AsyncClient, str]]:
    """Tell who may ask, and where."""
    return [(firm.api, "/v1"), (firm.house.client(firm.storefront_key), "/storefront/v1")]


async def ask(client: httpx.AsyncClient, path: str, **query: str) -> Any:
    answer = await client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_programs_and_shops_find_an_address_and_the_address_of_a_point(
    settled: Firm,
) -> None:
    for client, prefix in callers(settled):
        [first, *_] = await ask(client, f"{prefix}/addresses", query="koulukatu 12 pohj")
        assert first == KOULUKATU
        point = await ask(client, f"{prefix}/addresses/reverse", location="61.0,24.0024")
        assert point == KOULUKATU


async def test_a_point_and_a_country_narrow_a_search(settled: Firm) -> None:
    path, typed = "/v1/addresses", "koulukatu 12"
    assert [each["city"] for each in await ask(settled.api, path, query=typed, limit="1")] == [
        "Pohjola"
    ]
    near = '{"type":"Point","coordinates":[24.0,60.0]}'
    [first, *_] = await ask(settled.api, path, query=typed, near=near)
    assert first["label"] == "Koulukatu 12, 20100 Etelä, FI"
    assert await ask(settled.api, path, query=typed, country="se") == []


async def test_geocoders_outside_are_asked_for_both(
    served: tuple[Firm, machines.Machine],
) -> None:
    firm, machine = served
    for client, prefix in callers(firm):
        found = await ask(client, f"{prefix}/addresses", query="raffles", near="1.28,103.85")
        assert found[0].items() >= RAFFLES.items()
        point = await ask(client, f"{prefix}/addresses/reverse", location="1.284,103.851")
        assert point.items() >= RAFFLES.items()
        lost = await client.get(f"{prefix}/addresses/reverse", params={"location": "-40,0"})
        assert (lost.status_code, lost.json()["code"]) == (404, "address_not_found")
    machine.status = 500
    refused = await firm.api.get("/v1/addresses", params={"query": "raffles"})
    assert (refused.status_code, refused.json()["code"]) == (503, "geocoder_unavailable")


async def test_without_a_geocoder_nothing_can_be_found(acme: Firm) -> None:
    for client, prefix in callers(acme):
        for path in ("addresses?query=koulu", "addresses/reverse?location=1,1"):
            refused = await client.get(f"{prefix}/{path}")
            assert (refused.status_code, refused.json()["code"]) == (409, "geocoder_not_configured")


@pytest.mark.parametrize(
    "query",
    [
        "addresses",
        "addresses?query=k",
        "addresses?query=%20%20k",
        f"addresses?query={'k' * 201}",
        "addresses?query=koulu&near=nowhere",
        "addresses?query=koulu&country=zz9",
        "addresses?query=koulu&limit=11",
        "addresses?query=koulu&typed=1",
        "addresses/reverse",
        "addresses/reverse?location=91,0",
    ],
)
async def test_what_cannot_be_searched_is_refused(settled: Firm, query: str) -> None:
    for client, prefix in callers(settled):
        assert (await client.get(f"{prefix}/{query}")).status_code == 422


async def test_a_stranger_with_a_shops_key_cannot_search_without_end(settled: Firm) -> None:
    house = settled.house
    stranger = house.client(settled.storefront_key, address="203.0.113.9")
    path = "/storefront/v1/addresses/reverse?location=61.0,24.0024"
    for _ in range(address_search.NETWORK_RATE.count):
        answer = await stranger.get(path)
        if answer.status_code != 200:
            break
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) > 0
    assert (
        await house.client(settled.storefront_key, address="198.51.100.7").get(path)
    ).status_code == 200
    assert (await settled.api.get("/v1/addresses?query=koulukatu")).status_code == 200


async def test_strangers_from_many_networks_leave_searches_to_the_companys_own_people(
    settled: Firm,
) -> None:
    house, path = settled.house, "/storefront/v1/addresses/reverse?location=61.0,24.0024"
    company = (await settled.api.get("/v1/organizations/current")).json()["uuid"]
    rate = address_search.SHOP_RATE
    for _ in range(rate.burst or 0):
        assert (
            house.edge.limiter.hit(f"addresses:shop:{company}", rate, house.clock.now().timestamp())
            == 0
        )
    stranger = house.client(settled.storefront_key, address="203.0.113.9")
    assert (await stranger.get(path)).status_code == 429
    assert (await settled.api.get("/v1/addresses?query=koulukatu")).status_code == 200


async def test_a_refused_stranger_does_not_use_up_the_shops_searches(settled: Firm) -> None:
    house, path = settled.house, "/storefront/v1/addresses/reverse?location=61.0,24.0024"
    stranger = house.client(settled.storefront_key, address="203.0.113.9")
    for _ in range(address_search.SHOP_RATE.burst or 0):
        last = await stranger.get(path)
    assert last.status_code == 429
    customer = house.client(settled.storefront_key, address="198.51.100.7")
    assert (await customer.get(path)).status_code == 200
