"""Quotes in a shop: only what the shop shows, and nothing of the company's own."""

from probe import paths, refused
from rates import counter
from rates.counter import ask, make, rate
from stage import Firm

PATH = "/storefront/v1/service-quotes"


async def test_a_shop_shows_public_rates_only(acme: Firm) -> None:
    await rate(acme, service_name="Ours")
    await rate(acme, service_name="Public", public=True)
    assert [each["service_rate_name"] for each in await ask(acme.storefront, PATH)] == ["Public"]


async def test_what_a_stranger_asks_tells_nothing_of_other_rates(acme: Firm) -> None:
    await rate(acme, service_name="Ours")
    assert await ask(acme.storefront, PATH) == []
    for name in ("explain", "facilitator", "order_config"):
        sent = {"pickup": counter.CENTRE, "dropoff": counter.EAST, name: "1"}
        refused(await acme.storefront.get(PATH, params=sent), 422, "unknown_parameter")


async def test_a_stranger_names_none_of_the_companys_places_and_payloads(acme: Firm) -> None:
    await rate(acme, public=True)
    place = await make(acme, "places", {"name": "Depot", "location": "0,100"})
    for pickup in (place["id"], place["uuid"], f'{{"id":"{place["id"]}"}}', "place_" + "0" * 16):
        sent = {"pickup": pickup, "dropoff": counter.EAST}
        assert paths(await acme.storefront.get(PATH, params=sent)) == ["pickup"]
    payload = await make(acme, "payloads", {"pickup": place["id"], "dropoff": "0,100.1"})
    answer = await acme.storefront.get(PATH, params={"payload": payload["id"]})
    refused(answer, 422, "unknown_parameter")


async def test_a_stranger_asks_for_fewer_stops_and_items_than_the_company(acme: Firm) -> None:
    await rate(acme, public=True)
    stops = {"waypoints": [counter.CENTRE, counter.EAST] * 10}
    items = {"entities": f"[{','.join(['{}'] * 100)}]"}
    assert len(await ask(acme.storefront, PATH, **stops, **items)) == 1
    stops = {"waypoints": [*stops["waypoints"], counter.CENTRE]}
    items = {"entities": f"[{','.join(['{}'] * 101)}]"}
    assert len(await ask(acme.api, **stops, **items)) == 1
    assert paths(await acme.storefront.get(PATH, params=stops)) == ["waypoints"]
    ends = {"pickup": counter.CENTRE, "dropoff": counter.EAST}
    assert paths(await acme.storefront.get(PATH, params=ends | items)) == ["entities"]


async def test_a_stranger_does_not_say_how_far_it_is(acme: Firm) -> None:
    await rate(acme, **counter.BY_KILOMETRE, public=True)
    (honest,) = await ask(acme.storefront, PATH)
    assert honest["source"] == "great_circle"
    sent = {"pickup": counter.CENTRE, "dropoff": counter.EAST, "distance": 1, "time": 1}
    refused(await acme.storefront.get(PATH, params=sent), 422, "unknown_parameter")
