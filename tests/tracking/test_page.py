"""The recipient's page: what it shows, to whom, and what it never shows."""

from datetime import timedelta
from itertools import count
from typing import Any

import pytest

from customers.mall import Mall
from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from pannier.orders.driver_days.stops import MAX_STOPS
from pannier.orders.tracker import MAX_MEASURED_STOPS
from pannier.payloads import numbers
from pannier.tracking import checks
from stage import House
from tracking.asking import link_of, link_to, stranger

HOME = {**MANDAI, "postal_code": "729826", "security_access_code": "4711#", "name": "Ada's house"}
THEN = {"time_window_start": "2026-01-15T13:00:00Z", "time_window_end": "2026-01-15T15:00:00Z"}


async def test_whoever_has_the_link_sees_how_far_it_has_come(shop: Shop, house: House) -> None:
    order = await shop.started(dropoff=HOME, pickup=RAFFLES, **THEN)
    await shop.fire(order, "enroute")
    page = await stranger(house).get(await link_of(shop, order))
    assert page.status_code == 200, page.text
    for words in ("En route", "En route to you", "Dispatched", "Order received",
                  "80 Mandai Lake Road", "729826 Singapore", "Today, 13:00\N{EN DASH}15:00",
                  order["tracking_number"]["tracking_number"]):  # fmt: skip
        assert words in page.text
    assert page.headers["x-robots-tag"] == "noindex, nofollow"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert page.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("country", "window", "zone"),
    [
        ("SG", "Today, 21:00\N{EN DASH}23:00", "Time zone: Asia/Singapore"),
        ("US", "Today, 14:00\N{EN DASH}16:00", "Time zone: Europe/Berlin"),
        ("DE", "Today, 14:00\N{EN DASH}16:00", None),
    ],
)
async def test_times_are_those_of_the_place_and_named_where_they_may_not_be_the_readers(
    shop: Shop, house: House, country: str, window: str, zone: str | None
) -> None:
    berlin = {"time_zone": "Europe/Berlin"}
    assert (await shop.firm.admin.patch("/int/v1/settings", json=berlin)).is_success
    there = {"street1": "1 Main Street", "city": "Springfield", "country": country}
    order = await shop.order(pickup=RAFFLES, dropoff=there, **THEN)
    page = (await stranger(house).get(await link_of(shop, order))).text
    assert window in page
    assert ("Time zone" in page) == (zone is not None)
    assert (zone or "") in page


async def test_the_page_tells_nothing_that_the_recipient_need_not_know(
    shop: Shop, house: House
) -> None:
    customer = await shop.post("contacts", name="Grace Hopper", phone="+6591234567")
    order = await shop.started(
        dropoff=HOME, pickup=RAFFLES, notes="Beware of the dog", customer=customer["id"],
        entities=[{"name": "Diamond ring"}],
    )  # fmt: skip
    await shop.post(
        "tracking-statuses", order=order["id"], code="customs", status="Cleared by customs",
        details="Paid by Mr Smith",
    )  # fmt: skip
    link = await link_of(shop, order)
    for answer in (
        await stranger(house).get(link),
        await stranger(house).get(link.replace("?", ".json?")),
    ):
        assert answer.status_code == 200, answer.text
        assert "Cleared by customs" in answer.text
        driver = order["driver_assigned"]["name"]
        for secret in ("4711#", "Ada", "Grace", "91234567", "dog", "Diamond", "Smith",
                       "Raffles", driver, order["id"]):  # fmt: skip
            assert secret not in answer.text, secret


async def test_an_order_has_the_companys_own_number_or_else_its_tracking_number(
    shop: Shop, house: House
) -> None:
    for internal_id in ("SO-2041", None):
        order = await shop.order(dropoff=HOME, internal_id=internal_id)
        tracking_number = order["tracking_number"]["tracking_number"]
        link, visitor = await link_of(shop, order), stranger(house)
        told = (await visitor.get(link.replace("?", ".json?"))).json()
        assert told["tracking_number"] == tracking_number
        assert told["order_number"] == (internal_id or tracking_number)
        page = (await visitor.get(link)).text
        assert f"<code>{internal_id or tracking_number}</code>" in page
        assert ("Order number" in page) == (internal_id is not None)


async def test_a_number_alone_shows_nothing_until_the_postcode_is_told(
    shop: Shop, house: House
) -> None:
    order = await shop.started(dropoff=HOME, pickup=RAFFLES)
    path = f"/t/{order['tracking_number']['tracking_number']}"
    async with stranger(house) as client:
        asked = await client.get(path)
        assert asked.status_code == 200
        assert "Mandai" not in asked.text
        assert "Confirm your details" in asked.text
        wrong = await client.post(path, data={"secret": "123456"})
        assert wrong.status_code == 422
        assert "These details do not match" in wrong.text
        right = await client.post(path, data={"secret": " 729 826"})
        assert (right.status_code, right.headers["location"]) == (303, path)
        assert "Mandai" in (await client.get(path)).text
        assert (await client.get(f"{path}.json")).json()["street"] == "80 Mandai Lake Road"
    assert "Mandai" not in (await stranger(house).get(path)).text


async def test_the_end_of_the_phone_number_opens_it_too(shop: Shop, house: House) -> None:
    customer = await shop.post("contacts", name="Grace Hopper", phone="+6591234567")
    order = await shop.started(customer=customer["id"])
    path = f"/t/{order['tracking_number']['tracking_number']}"
    for said, status in (
        ("4567", 303),
        ("+65 9123 4567", 303),
        ("91234567", 303),
        ("4568", 422),
        ("", 422),
    ):
        answer = await stranger(house).post(path, data={"secret": said})
        assert answer.status_code == status, said


async def test_a_postcode_may_be_as_long_as_a_phone_number(shop: Shop, house: House) -> None:
    order = await shop.order(dropoff={**HOME, "postal_code": "100-0001"}, pickup=RAFFLES)
    path = f"/t/{order['tracking_number']['tracking_number']}"
    right = await stranger(house).post(path, data={"secret": "1000001"})
    assert (right.status_code, right.headers["location"]) == (303, path)


async def test_a_number_that_nobody_has_is_answered_as_one_with_another_postcode(
    shop: Shop, house: House
) -> None:
    order = await shop.order(dropoff=HOME, pickup=RAFFLES)
    known, unknown = order["tracking_number"]["tracking_number"], numbers.draw_number("Acme")
    for ask in (
        lambda client, path: client.get(path),
        lambda client, path: client.post(path, data={"secret": "1"}),
        lambda client, path: client.get(f"{path}.json"),
    ):
        answers = [await ask(stranger(house), f"/t/{name}") for name in (known, unknown)]
        assert len({answer.status_code for answer in answers}) == 1
        texts = [
            answer.text.replace(known, "N")
            .replace(unknown, "N")
            .replace(answer.headers["x-request-id"], "R")
            for answer in answers
        ]
        assert texts[0] == texts[1]


async def test_a_strangers_wrong_tries_do_not_lock_the_recipient_out(
    shop: Shop, house: House
) -> None:
    order = await shop.order(dropoff=HOME, pickup=RAFFLES)
    path = f"/t/{order['tracking_number']['tracking_number']}"
    guesser = stranger(house, "203.0.113.7")
    for guess in range(10):
        assert (await guesser.post(path, data={"secret": f"{guess}"})).status_code == 422
    stopped = await guesser.post(path, data={"secret": "729826"})
    assert stopped.status_code == 429
    assert "Too many attempts" in stopped.text
    assert int(stopped.headers["retry-after"]) > 0
    right = await stranger(house, "198.51.100.1").post(path, data={"secret": "729826"})
    assert right.status_code == 303
    assert (await stranger(house).get(await link_of(shop, order))).status_code == 200


async def test_guesses_at_a_number_from_many_networks_are_slowed_down(
    shop: Shop, house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "NUMBER_ATTEMPTS", (6, timedelta(days=1)))
    order = await shop.order(dropoff=HOME, pickup=RAFFLES)
    path = f"/t/{order['tracking_number']['tracking_number']}"
    for guess in range(6):
        client = stranger(house, f"203.0.113.{guess}")
        assert (await client.post(path, data={"secret": f"{guess}"})).status_code == 422
    late = stranger(house, "203.0.113.99")
    told = [(await late.post(path, data={"secret": "1"})).status_code for _ in range(3)]
    assert told == [422, 422, 429]
    right = await stranger(house, "198.51.100.1").post(path, data={"secret": "729826"})
    assert right.status_code == 303


async def test_guesses_from_an_address_are_counted_whatever_number_they_are_at(
    house: House,
) -> None:
    client = stranger(house)
    for _ in range(30):
        path = f"/t/{numbers.draw_number('Acme')}"
        assert (await client.post(path, data={"secret": "1"})).status_code == 422
    path = f"/t/{numbers.draw_number('Acme')}"
    assert (await client.post(path, data={"secret": "1"})).status_code == 429


async def test_a_link_with_another_key_asks_as_if_it_had_none(shop: Shop, house: House) -> None:
    order, other = await shop.order(dropoff=HOME, pickup=RAFFLES), await shop.order()
    key = (await link_of(shop, other)).partition("?")[2]
    path = f"/t/{order['tracking_number']['tracking_number']}"
    for query in (key, "k=", "k=%00", "k=ÿ", f"proof=9999999999.{'a' * 15}", "proof=1"):
        page = await stranger(house).get(f"{path}?{query}")
        assert "Confirm your details" in page.text, query


async def test_of_an_order_with_many_stops_each_number_shows_its_own(
    shop: Shop, house: House
) -> None:
    order = await shop.started(waypoints=[RAFFLES, MANDAI, CHANGI])
    second = order["payload"]["waypoints"][1]["tracking_number"]
    page = await stranger(house).get(await link_to(shop, second))
    assert "Mandai" in page.text
    assert "Raffles" not in page.text
    assert "Airport" not in page.text


async def test_the_driver_is_seen_only_on_the_way_to_this_stop(shop: Shop, house: House) -> None:
    order = await shop.started(waypoints=[RAFFLES, MANDAI])
    driver = order["driver_assigned"]["id"]
    await shop.post(f"drivers/{driver}/track", latitude=1.3, longitude=103.8)
    number = order["payload"]["waypoints"][1]["tracking_number"]
    link = (await link_to(shop, number)).replace("?", ".json?")

    async def told() -> dict[str, Any]:
        answer = await stranger(house).get(link)
        told: dict[str, Any] = answer.json()
        return told

    assert (await told())["position"] is None
    assert (await told())["stage"] == "on_the_way"
    await shop.fire(order, "enroute")
    await shop.fire(order, "completed")
    near = await told()
    assert (near["stage"], near["position"]["coordinates"]) == ("next_stop", [103.8, 1.3])
    assert near["eta"] is not None
    await shop.fire(order, "enroute")
    await shop.fire(order, "completed")
    over = await told()
    assert (over["stage"], over["position"], over["eta"]) == ("delivered", None, None)
    assert [step["status"] for step in over["timeline"]].count("Delivered") == 1


@pytest.mark.slow
async def test_the_driver_is_not_seen_by_those_after_more_stops_than_are_loaded(
    shop: Shop, house: House
) -> None:
    plain = await shop.plain_type()
    order = await shop.started(type=plain, dropoff=HOME, pickup=RAFFLES, **THEN)
    driver = order["driver_assigned"]["id"]
    await shop.post(f"drivers/{driver}/track", latitude=1.3, longitude=103.8)
    link = (await link_of(shop, order)).replace("?", ".json?")
    assert (await stranger(house).get(link)).json()["position"] is not None
    sooner = {"time_window_end": THEN["time_window_start"], "driver": driver, "dispatch": True}
    for _ in range(1 + MAX_STOPS // 100):
        await shop.order(waypoints=[CHANGI] * 100, **sooner)
    told = (await stranger(house).get(link)).json()
    assert (told["stage"], told["position"], told["eta"]) == ("on_the_way", None, None)


@pytest.mark.slow
async def test_the_next_stop_of_a_long_order_has_an_eta_at_once(shop: Shop, house: House) -> None:
    order = await shop.started(waypoints=[MANDAI] * (MAX_MEASURED_STOPS + 2))
    driver = order["driver_assigned"]["id"]
    await shop.post(f"drivers/{driver}/track", latitude=1.3, longitude=103.8)
    etas = []
    for stop in order["payload"]["waypoints"][:2]:
        link = (await link_to(shop, stop["tracking_number"])).replace("?", ".json?")
        etas.append((await stranger(house).get(link)).json()["eta"])
    assert [eta is not None for eta in etas] == [True, False]
    whole = await shop.get(f"orders/{order['id']}/tracker")
    assert (whole["eta"], whole["distance_remaining"], whole["route_source"]) == (None, None, None)


async def test_a_driver_who_was_not_seen_for_long_is_not_shown(shop: Shop, house: House) -> None:
    order = await shop.started(dropoff=HOME, pickup=RAFFLES)
    driver = order["driver_assigned"]["id"]
    await shop.post(f"drivers/{driver}/track", latitude=1.3, longitude=103.8)
    link = (await link_of(shop, order)).replace("?", ".json?")
    heading_for_pickup = (await stranger(house).get(link)).json()
    assert (heading_for_pickup["stage"], heading_for_pickup["position"]) == ("on_the_way", None)
    await shop.fire(order, "enroute")
    assert (await stranger(house).get(link)).json()["position"] is not None
    house.clock.advance(minutes=16)
    later = (await stranger(house).get(link)).json()
    assert (later["stage"], later["position"], later["eta"]) == ("next_stop", None, None)


async def test_strangers_who_look_too_often_do_not_keep_the_recipient_out(
    shop: Shop, house: House
) -> None:
    order = await shop.order(dropoff=HOME, pickup=RAFFLES)
    link, client = await link_of(shop, order), stranger(house)
    path = link.partition("?")[0]
    looks = [(await client.get(path)).status_code for _ in range(61)]
    assert looks == [200] * 60 + [429]
    assert (await client.get(f"{path}.json")).json()["code"] == "too_many_requests"
    assert (await stranger(house, "198.51.100.7").get(link)).status_code == 200


async def test_it_bears_the_brand_of_the_company(shop: Shop, house: House) -> None:
    branding = {"name": "Swift & Sons", "color": "#0b7285"}
    saved = await shop.firm.admin.patch("/int/v1/settings", json={"branding": branding})
    assert saved.status_code == 200, saved.text
    page = await stranger(house).get(await link_of(shop, await shop.order()))
    assert "Swift &amp; Sons" in page.text
    style = await stranger(house).get("/t/-/brand/0b7285.css")
    assert (style.text, "/t/-/brand/0b7285.css" in page.text) == (":root{--brand:#0b7285}", True)
    assert (await stranger(house).get("/t/-/brand/red;}.css")).status_code == 404


async def test_to_a_customer_of_a_store_it_bears_the_brand_of_the_store(
    shop: Shop, house: House
) -> None:
    admin = shop.firm.admin
    company = {"name": "Swift & Sons", "color": "#0b7285"}
    assert (await admin.patch("/int/v1/settings", json={"branding": company})).is_success
    [store] = (await admin.get("/int/v1/storefronts")).json()["data"]
    own = {"name": "Petals", "color": "#c2255c"}
    path = f"/int/v1/storefronts/{store['id']}"
    assert (await admin.patch(path, json={"settings": {"branding": own}})).is_success
    flora = await Mall(shop.firm, count()).registered("Flora")
    ours = await shop.order(customer=flora["customer"]["id"])
    contact = await shop.post("contacts", name="Grace Hopper", phone="+6591234567")
    theirs = await shop.order(customer=contact["id"])
    for order, brand, color in ((ours, "Petals", "c2255c"), (theirs, "Swift &amp; Sons", "0b7285")):
        link = await link_of(shop, order)
        for address in (link, link.replace("?", "/news?")):
            page = (await stranger(house).get(address)).text
            assert (brand in page, f"/t/-/brand/{color}.css" in page) == (True, True)


async def test_the_map_of_the_page_needs_no_credential(house: House) -> None:
    ground = await stranger(house).get("/t/-/basemap/dark")
    assert ground.json()["style"]["version"] == 8
    assert (await stranger(house).get("/t/-/basemap/pink")).status_code == 404
    assert (await stranger(house).get("/t/-/tiles/1/2/3.mvt")).status_code == 404


async def test_of_an_order_that_was_deleted_nothing_is_shown(shop: Shop, house: House) -> None:
    order = await shop.order(dropoff=HOME, pickup=RAFFLES)
    link = await link_of(shop, order)
    deleted = await shop.firm.api.delete(f"/v1/orders/{order['id']}")
    assert deleted.status_code == 200, deleted.text
    assert (await stranger(house).get(link)).status_code == 404


@pytest.mark.parametrize(
    ("accepted", "words"),
    [
        ("de-AT,de;q=0.9,en;q=0.5", "Sendung verfolgen"),
        ("nl, fr;q=0.7", "Suivre une livraison"),
        ("", "Track a delivery"),
        ("de;q=0, xx;q=nonsense", "Track a delivery"),
    ],
)
async def test_it_speaks_the_language_of_the_browser(
    house: House, accepted: str, words: str
) -> None:
    page = await stranger(house, language=accepted).get("/t")
    assert page.status_code == 200, page.text
    assert words in page.text


async def test_a_number_is_found_however_it_is_typed(shop: Shop, house: House) -> None:
    number = (await shop.order())["tracking_number"]["tracking_number"]
    typed = number.lower().replace("-", " ")
    led = await stranger(house).get("/t", params={"number": typed})
    assert (led.status_code, led.headers["location"]) == (303, f"/t/{number}")
    led = await stranger(house).get(f"/t/{typed}.json?k=x")
    assert (led.status_code, led.headers["location"]) == (303, f"/t/{number}.json?k=x")
    slip = await stranger(house).get("/t", params={"number": number[:-1] + "!"})
    assert slip.status_code == 404
    assert "Invalid tracking number" in slip.text
    assert (await stranger(house).get("/t/nonsense")).status_code == 404


async def test_months_after_its_end_nothing_is_left_to_see(shop: Shop, house: House) -> None:
    order = await shop.started(dropoff=HOME, pickup=RAFFLES)
    await shop.fire(order, "enroute")
    await shop.fire(order, "completed")
    link = await link_of(shop, order)
    assert "Delivered" in (await stranger(house).get(link)).text
    house.clock.advance(days=91)
    gone = await stranger(house).get(link)
    assert gone.status_code == 404
    assert "Mandai" not in gone.text
