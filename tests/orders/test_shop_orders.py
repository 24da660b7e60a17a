"""Customers order from a quote, where their store allows it, at the quote's price."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

import stage
from orders.shop import Shop
from pannier.db import Database
from pannier.kit.clock import ManualClock
from payments.till import Till
from probe import documented, paths
from rates.counter import BY_KILOMETRE, rate

ORDERS = "/storefront/v1/customers/orders"
WAY = {"pickup": "1.284,103.851", "dropoff": "1.404,103.79"}
BACK = "https://shop.example.com/thanks"


@pytest.fixture
async def shop(database: Database, clock: ManualClock, tmp_path: Path) -> Till:
    """A store whose customers may order, in a house with the fake gateway."""
    house = await stage.build(database, clock, str(tmp_path), payments="fake")
    till = Till(await house.found("Acme", mode="test"))
    await allow(till, orders=True, return_origins=["https://shop.example.com"])
    return till


async def allow(till: Till, **settings: Any) -> None:
    stores = (await till.firm.admin.get("/int/v1/storefronts")).json()["data"]
    path = f"/int/v1/storefronts/{stores[0]['id']}"
    answer = await till.firm.admin.patch(path, json={"settings": settings})
    assert answer.status_code == 200, answer.text


async def quoted(till: Till, **more: Any) -> dict[str, Any]:
    asked = {**WAY, **more}
    answer = await till.firm.storefront.get("/storefront/v1/service-quotes", params=asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()[0]
    return found


def problem(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_a_customer_orders_from_a_quote_and_pays_its_price(shop: Till) -> None:
    await rate(shop.firm, **BY_KILOMETRE, public=True)
    quote = await quoted(shop)
    me, client = await shop.visitor()
    wish = {**WAY, "service_quote": quote["id"], "return_url": BACK}
    answer = await client.post(ORDERS, json=wish)
    assert answer.status_code == 201, answer.text
    placed = answer.json()
    assert placed["order"]["customer"]["id"] == me["id"]
    assert placed["payment"]["amount"] == quote["amount"]
    assert [item["code"] for item in placed["payment"]["items"]] == ["BASE_FEE", "DISTANCE_FEE"]
    one = f"{ORDERS}/{placed['order']['id']}"
    paid = (await client.post(f"{one}/checkout", json={"return_url": BACK})).json()
    assert paid["checkout_status"] == "open"
    assert (await client.get(f"{one}/payment")).json() == paid
    page = await shop.firm.house.client().get(paid["checkout_url"])
    assert page.status_code == 200
    mine = await client.get(ORDERS)
    assert [each["id"] for each in mine.json()] == [placed["order"]["id"]]


async def test_a_customer_charged_again_pays_what_is_owed_now(shop: Till) -> None:
    await rate(shop.firm, public=True)
    _, client = await shop.visitor()
    placed = await client.post(ORDERS, json={**WAY, "service_quote": (await quoted(shop))["id"]})
    order, first = placed.json()["order"]["id"], placed.json()["payment"]["transaction"]
    await shop.firm.admin.post(f"/int/v1/transactions/{first}/void", json={})
    fresh = (await shop.firm.api.post(f"/v1/orders/{order}/service-quotes")).json()[0]
    again = await shop.firm.api.post(f"/v1/service-quotes/{fresh['id']}/accept", json={})
    assert (await shop.firm.api.get(f"/v1/orders/{order}")).json()["transaction"] == first
    owed = (await client.get(f"{ORDERS}/{order}/payment")).json()
    assert (owed["transaction"], owed["status"]) == (again.json()["id"], "unpaid")
    page = await client.post(f"{ORDERS}/{order}/checkout", json={})
    assert (page.json()["transaction"], page.json()["checkout_status"]) == (
        again.json()["id"],
        "open",
    )


async def test_where_the_store_does_not_allow_it_nobody_orders(shop: Till) -> None:
    await rate(shop.firm, public=True)
    await allow(shop, orders=False)
    _, client = await shop.visitor()
    refused = await client.post(ORDERS, json={**WAY, "service_quote": (await quoted(shop))["id"]})
    assert problem(refused) == (403, "ordering_off")


async def test_a_quote_is_good_for_what_was_quoted_and_in_its_own_shop(shop: Till) -> None:
    await rate(shop.firm, **BY_KILOMETRE, public=True)
    quote = await quoted(shop)
    _, client = await shop.visitor()
    further = {**WAY, "dropoff": "1.5,104.5", "service_quote": quote["id"]}
    assert problem(await client.post(ORDERS, json=further)) == (409, "quote_stale")
    heavier = {**WAY, "service_quote": quote["id"], "entities": [{"name": "Piano", "weight": 300}]}
    assert problem(await client.post(ORDERS, json=heavier)) == (409, "quote_stale")
    ours = (await shop.firm.api.get("/v1/service-quotes", params=WAY)).json()[0]
    foreign = await client.post(ORDERS, json={**WAY, "service_quote": ours["id"]})
    assert problem(foreign) == (404, "not_found")
    assert (await client.get(ORDERS)).json() == []


async def test_a_customer_names_none_of_the_companys_places(shop: Till) -> None:
    await rate(shop.firm, public=True)
    quote = await quoted(shop)
    place = (await shop.firm.api.post("/v1/places", json={"location": "1.284,103.851"})).json()
    _, client = await shop.visitor()
    wish = {**WAY, "pickup": place["id"], "service_quote": quote["id"]}
    assert paths(await client.post(ORDERS, json=wish)) == ["pickup"]
    named = {"place": place["id"]}
    assert paths(await client.post(ORDERS, json={**wish, "pickup": named})) == ["pickup.place"]
    guessed = {"place": place["id"], "security_access_code": "4711#"}
    owned = {"place": {"location": "1.284,103.851", "owner_type": "company"}}
    for deep in (named, guessed, owned):
        answer = await client.post(ORDERS, json={**wish, "pickup": {"place": deep}})
        assert paths(answer) == ["pickup.place.place"]
    answer = await client.post(ORDERS, json={**wish, "pickup": owned})
    assert paths(answer) == ["pickup.place.owner_type"]
    point = {"type": "Point", "coordinates": [103.851, 1.284], "owner": "contact_other"}
    address = {"street1": "1 Road", "owner": "contact_other"}
    for owned in (point, {"type": "Feature", "geometry": address}):
        answer = await client.post(ORDERS, json={**wish, "pickup": owned})
        assert paths(answer) == ["pickup.owner"]
    hidden = {"place": {"latitude": 1.284, "longitude": 103.851}, "id": place["id"]}
    answer = await client.post(ORDERS, json={**wish, "pickup": hidden})
    assert answer.status_code == 201, answer.text
    assert answer.json()["order"]["payload"]["pickup"]["id"] != place["id"]


async def test_a_customer_comes_back_to_the_stores_own_pages_only(shop: Till) -> None:
    await rate(shop.firm, public=True)
    _, client = await shop.visitor()
    wish = {**WAY, "service_quote": (await quoted(shop))["id"]}
    for back in ("https://evil.example.com", "https://shop.example.com.evil.example.com/x"):
        assert paths(await client.post(ORDERS, json={**wish, "return_url": back})) == ["return_url"]


async def test_the_point_is_what_is_priced_and_the_office_sees_the_address_beside_it(
    shop: Till,
) -> None:
    await rate(shop.firm, **BY_KILOMETRE, public=True)
    _, client = await shop.visitor()
    far = {"street1": "Jalan Jauh 1", "city": "Johor Bahru", "country": "MY"}
    near = far | {"latitude": 1.404, "longitude": 103.79}
    quote = await quoted(shop)
    wish = {**WAY, "dropoff": near, "service_quote": quote["id"]}
    answer = await client.post(ORDERS, json=wish)
    assert answer.status_code == 201, answer.text
    assert answer.json()["payment"]["amount"] == quote["amount"]
    seen = await Shop(shop.firm).get(f"orders/{answer.json()['order']['id']}")
    place = seen["payload"]["dropoff"]
    assert "Johor Bahru" in place["address"]
    assert place["location"]["coordinates"] == [103.79, 1.404]


@pytest.mark.slow
async def test_of_a_rate_that_is_not_public_a_customer_sees_what_they_owe_and_no_more(
    shop: Till,
) -> None:
    secret = await rate(shop.firm, **BY_KILOMETRE | {"service_name": "Partners only"})
    me, client = await shop.visitor()
    office = Shop(shop.firm)
    order = await office.act(await office.ready(customer=me["id"]), "dispatch")
    (owed,) = await office.get(f"transactions?order={order['id']}")
    one = f"{ORDERS}/{order['id']}"
    seen = [await client.get(one), await client.get(f"{one}/payment"), await client.get(ORDERS)]
    assert seen[1].json()["amount"] == owed["amount"]
    assert seen[1].json()["items"] == []
    quote = (await office.get(f"orders/{order['id']}/service-quotes"))[0]
    hidden = (secret["id"], secret["uuid"], "Partners only", quote["id"], "_FEE")
    assert not [word for word in hidden for answer in seen if word in answer.text]
    await client.post(f"{one}/checkout", json={"return_url": BACK})
    again = (await client.get(f"{one}/payment")).json()
    page = await shop.firm.house.client().get(again["checkout_url"])
    assert not [word for word in hidden if word in page.text]


@pytest.mark.slow
async def test_nobody_sees_what_another_customer_owes(shop: Till) -> None:
    await rate(shop.firm, public=True)
    _, client = await shop.visitor()
    _, other = await shop.visitor()
    wish = {**WAY, "service_quote": (await quoted(shop))["id"]}
    placed = (await client.post(ORDERS, json=wish)).json()
    one = f"{ORDERS}/{placed['order']['id']}"
    assert (await other.get(f"{one}/payment")).status_code == 404
    assert (await other.post(f"{one}/checkout", json={})).status_code == 404
    again = await other.post(ORDERS, json=wish)
    assert problem(again) == (409, "quote_already_accepted")


@pytest.mark.parametrize("weight", ["NaN", "1E+999990", -1])
async def test_a_weight_that_is_none_is_refused(shop: Till, weight: object) -> None:
    await rate(shop.firm, public=True)
    _, client = await shop.visitor()
    wish = {**WAY, "service_quote": (await quoted(shop))["id"]}
    answer = await client.post(ORDERS, json={**wish, "entities": [{"name": "A", "weight": weight}]})
    assert answer.status_code == 422, answer.text
    asked = {**WAY, "entities": json.dumps([{"weight": weight}])}
    answer = await shop.firm.storefront.get("/storefront/v1/service-quotes", params=asked)
    assert answer.status_code == 422, answer.text


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({"pickup": "91,0"}, "pickup"),
        ({"dropoff": {"latitude": 91, "longitude": 0}}, "dropoff.latitude"),
        ({"pickup": None}, "pickup"),
        ({"waypoints": ["1.3,103.8", "95,0"]}, "waypoints[1]"),
        ({"waypoints": ["1.3,103.8", {"latitude": 91, "longitude": 0}]}, "waypoints[1].latitude"),
        ({"pickup": None, "waypoints": ["95,0"]}, "waypoints[0]"),
        ({"pickup": "95,0", "waypoints": ["1.3,103.8"]}, "pickup"),
        ({"dropoff": "95,0", "waypoints": ["1.3,103.8"]}, "dropoff"),
        ({"entities": [{"name": "A"}, {"name": " "}]}, "entities[1].name"),
        ({"cod_amount": 5}, "cod_currency"),
    ],
)
async def test_what_is_wrong_is_named_as_the_customer_sent_it(
    shop: Till, sent: dict[str, Any], path: str
) -> None:
    await rate(shop.firm, public=True)
    _, client = await shop.visitor()
    wish = {**WAY, "service_quote": (await quoted(shop))["id"]}
    assert paths(await client.post(ORDERS, json={**wish, **sent})) == [path]


async def test_a_customer_orders_although_the_company_deleted_their_contact(shop: Till) -> None:
    await rate(shop.firm, public=True)
    me, client = await shop.visitor()
    gone = await shop.firm.api.delete(f"/v1/contacts/{me['contact']}")
    assert gone.status_code == 200, gone.text
    answer = await client.post(ORDERS, json={**WAY, "service_quote": (await quoted(shop))["id"]})
    assert answer.status_code == 201, answer.text
    one = f"{ORDERS}/{answer.json()['order']['id']}"
    assert (await client.get(f"{one}/payment")).json()["amount"] == 500


async def test_a_quote_that_was_called_off_orders_nothing_more_and_the_document_says_so(
    shop: Till,
) -> None:
    await rate(shop.firm, public=True)
    _, client = await shop.visitor()
    wish = {**WAY, "service_quote": (await quoted(shop))["id"]}
    placed = (await client.post(ORDERS, json=wish)).json()
    owed = f"/int/v1/transactions/{placed['payment']['transaction']}"
    assert (await shop.firm.admin.post(f"{owed}/void", json={})).status_code == 200
    await Shop(shop.firm).post(f"orders/{placed['order']['id']}/service-quotes")
    assert problem(await client.post(ORDERS, json=wish)) == (409, "quote_replaced")
    assert "quote_replaced" in await documented(shop.firm.house, ORDERS)


async def test_nobody_orders_for_yesterday_to_pay_less(shop: Till) -> None:
    await rate(shop.firm, public=True)
    asked = {**WAY, "scheduled_at": "2026-01-14T03:00:00Z"}
    answer = await shop.firm.storefront.get("/storefront/v1/service-quotes", params=asked)
    assert paths(answer) == ["scheduled_at"]


@pytest.mark.parametrize(
    "route",
    [
        {**WAY, "waypoints": ["1.3,103.82"]},
        {"dropoff": WAY["dropoff"], "waypoints": [WAY["pickup"], "1.3,103.82"]},
    ],
)
async def test_the_pickup_of_an_order_with_several_stops_stays_a_pickup(
    shop: Till, route: dict[str, Any]
) -> None:
    await rate(shop.firm, **BY_KILOMETRE, public=True)
    asked = {**route, "waypoints": json.dumps(route["waypoints"])}
    answer = await shop.firm.storefront.get("/storefront/v1/service-quotes", params=asked)
    (quote,) = answer.json()
    _, client = await shop.visitor()
    answer = await client.post(ORDERS, json={**route, "service_quote": quote["id"]})
    assert answer.status_code == 201, answer.text
    order = answer.json()["order"]["id"]
    payload = (await shop.firm.api.get(f"/v1/orders/{order}")).json()["payload"]
    assert [stop["type"] for stop in payload["waypoints"]] == ["pickup", "dropoff", "dropoff"]
    assert payload["pickup"]["id"] == payload["waypoints"][0]["place"]["id"]
    assert payload["dropoff"]["id"] == payload["waypoints"][-1]["place"]["id"]


@pytest.mark.parametrize("asked", [{"cod": 5000}, {"cod": 5000, "currency": "SGD"}, {"cod": True}])
async def test_a_quote_with_cash_on_delivery_is_ordered_where_the_company_has_no_currency(
    shop: Till, asked: dict[str, Any]
) -> None:
    assert (await shop.firm.admin.get("/int/v1/settings")).json()["currency"] is None
    fee = {"has_cod_fee": True, "cod_calculation_method": "percentage", "cod_percent": 10}
    fee = fee if asked["cod"] is not True else fee | {"cod_calculation_method": "flat",
                                                      "cod_flat_fee": 500}  # fmt: skip
    await rate(shop.firm, **BY_KILOMETRE, public=True, **fee)
    quote = await quoted(shop, **asked)
    assert 500 in {line["amount"] for line in quote["items"]}
    _, client = await shop.visitor()
    body = {**WAY, "service_quote": quote["id"], "cod_amount": 5000, "cod_currency": "SGD"}
    answer = await client.post(ORDERS, json=body)
    assert answer.status_code == 201, answer.text
    assert answer.json()["payment"]["amount"] == quote["amount"]
    again = await quoted(shop, **asked)
    other = await client.post(ORDERS, json=body | {"service_quote": again["id"],
                                                   "cod_currency": "EUR"})  # fmt: skip
    assert problem(other) == (409, "quote_stale")


async def test_a_customer_orders_with_the_value_that_was_quoted(shop: Till) -> None:
    insurance = {"kind": "insured_value", "name": "Insurance", "percent": 1}
    await rate(shop.firm, public=True, surcharges=[insurance])
    quote = await quoted(
        shop, **{"entities[0][declared_value]": 25_000, "entities[0][currency]": "SGD"}
    )
    assert quote["amount"] == 500 + 250
    _, client = await shop.visitor()
    watch = {"name": "Watch", "declared_value": 25_000, "currency": "SGD"}
    wish = {**WAY, "service_quote": quote["id"], "entities": [watch]}
    answer = await client.post(ORDERS, json=wish)
    assert answer.status_code == 201, answer.text
    assert answer.json()["payment"]["amount"] == quote["amount"]
