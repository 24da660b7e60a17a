"""Tariffs of customers and groups: terms of contacts and vendors, and the rates that are theirs."""

from itertools import count
from typing import Any

import httpx
import pytest

from customers.mall import Mall
from probe import paths, refused
from rates.counter import CENTRE, EAST, FLAT, ask, make, names, rate
from stage import Firm

KINDS = ("contacts", "vendors")
SHOP_QUOTES = "/storefront/v1/service-quotes"
POINTS = {"pickup": CENTRE, "dropoff": EAST}
WAY = {"pickup": {"location": CENTRE}, "dropoff": {"location": EAST}}


@pytest.mark.parametrize("kind", KINDS)
async def test_a_partner_has_a_price_group_a_default_service_terms_and_a_tax_number(
    acme: Firm, kind: str
) -> None:
    express = await rate(acme)
    terms = {"price_group": "wholesale", "payment_terms_days": 14, "tax_number": "DE123456789"}
    made = await make(acme, kind, {"name": "Ada", "default_service": express["uuid"], **terms})
    expected = {**terms, "default_service": express["id"]}
    assert made.items() >= expected.items()
    read = (await acme.api.get(f"/v1/{kind}/{made['id']}")).json()
    assert read.items() >= expected.items()
    cleared = await change(acme, f"{kind}/{made['id']}", **dict.fromkeys(expected))
    assert cleared.json().items() >= dict.fromkeys(expected).items()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "value"),
    [("price_group", "x" * 65), ("payment_terms_days", 366), ("payment_terms_days", -1),
     ("tax_number", "1" * 65)],
)  # fmt: skip
async def test_terms_out_of_bounds_are_refused(
    acme: Firm, kind: str, name: str, value: object
) -> None:
    answer = await acme.api.post(f"/v1/{kind}", json={"name": "Ada", name: value})
    refused(answer, 422, "validation_failed")
    assert paths(answer) == [name]


async def test_a_default_service_is_a_rate_of_the_same_company(acme: Firm, rival: Firm) -> None:
    foreign = await rate(rival)
    for name in (foreign["id"], foreign["uuid"], "service_0"):
        answer = await acme.api.post("/v1/contacts", json={"name": "A", "default_service": name})
        problem = refused(answer, 404, "not_found")
        assert [field["path"] for field in problem["fields"]] == ["default_service"]


async def test_a_contact_keeps_the_name_of_a_deleted_default_service(acme: Firm) -> None:
    express = await rate(acme)
    ada = await make(acme, "contacts", {"name": "Ada", "default_service": express["id"]})
    assert (await acme.api.delete(f"/v1/service-rates/{express['id']}")).is_success
    path = f"contacts/{ada['id']}"
    kept = await change(acme, path, name="Ada L.", default_service=express["id"])
    assert kept.json()["default_service"] == express["id"]


async def change(firm: Firm, path: str, **fields: object) -> httpx.Response:
    answer = await firm.api.patch(f"/v1/{path}", json=fields)
    assert answer.is_success, answer.text
    return answer


async def test_a_rate_is_for_its_customers_and_price_groups_alone(acme: Firm) -> None:
    ada = await make(acme, "contacts", {"name": "Ada"})
    depot = await make(acme, "vendors", {"name": "Depot", "price_group": "wholesale"})
    eve = await make(acme, "contacts", {"name": "Eve", "price_group": "retail"})
    await rate(acme, service_name="Public")
    own = await rate(acme, service_name="Ada's", base_fee=100, customers=[ada["uuid"]])
    assert (own["customers"], own["price_groups"]) == ([ada["id"]], [])
    bulk = await rate(acme, service_name="Bulk", base_fee=200, price_groups=[" wholesale "])
    assert bulk["price_groups"] == ["wholesale"]
    assert await names(acme) == ["Public"]
    assert await names(acme, customer=ada["id"]) == ["Ada's", "Public"]
    assert await names(acme, customer=depot["uuid"]) == ["Bulk", "Public"]
    assert await names(acme, customer=eve["id"]) == ["Public"]
    both = {"price_groups": ["wholesale", "gold"], "customers": [ada["id"], ada["uuid"]]}
    shared = await change(acme, f"service-rates/{bulk['id']}", **both)
    assert (shared.json()["version"], shared.json()["customers"]) == (2, [ada["id"]])
    assert await names(acme, customer=ada["id"]) == ["Ada's", "Bulk", "Public"]
    await change(acme, f"service-rates/{own['id']}", customers=[])
    assert await names(acme, customer=eve["id"]) == ["Ada's", "Public"]


async def test_a_rate_for_others_has_a_reason_of_its_own(acme: Firm) -> None:
    ada = await make(acme, "contacts", {"name": "Ada"})
    own = await rate(acme, customers=[ada["id"]])
    explained = await ask(acme.api, explain=1)
    (rejected,) = explained["rejected"]
    assert [reason["code"] for reason in rejected["reasons"]] == ["customer_differs"]
    body = {"pickup": CENTRE, "dropoff": EAST, "service_rate": own["id"]}
    for customer, matches in ((None, False), (ada["id"], True)):
        previewed = await acme.api.post(
            "/v1/service-rates/preview", json={**body, "customer": customer}
        )
        assert [row["matches"] for row in previewed.json()["rates"]] == [matches]


async def test_customers_of_rates_and_quotes_exist(acme: Firm, rival: Firm) -> None:
    stranger = await make(rival, "contacts", {"name": "Eve"})
    body = {**FLAT, "customers": [stranger["id"]]}
    problem = refused(await acme.api.post("/v1/service-rates", json=body), 404, "not_found")
    assert [field["path"] for field in problem["fields"]] == ["customers[0]"]
    sent = {"pickup": CENTRE, "dropoff": EAST, "customer": stranger["id"]}
    problem = refused(await acme.api.get("/v1/service-quotes", params=sent), 404, "not_found")
    assert [field["path"] for field in problem["fields"]] == ["customer"]


async def test_a_rate_names_at_most_200_customers_and_50_groups(acme: Firm) -> None:
    for name, most in (("customers", 200), ("price_groups", 50)):
        body = {**FLAT, name: ["x"] * (most + 1)}
        assert paths(await acme.api.post("/v1/service-rates", json=body)) == [name]


async def test_an_order_has_the_quotes_of_its_customer(acme: Firm) -> None:
    ada = await make(acme, "contacts", {"name": "Ada"})
    eve = await make(acme, "contacts", {"name": "Eve", "price_group": "gold"})
    await rate(acme, service_name="Public")
    await rate(acme, service_name="Ada's", base_fee=100, customers=[ada["id"]])
    await rate(acme, service_name="Gold", base_fee=200, price_groups=["gold"])
    order = await make(acme, "orders", {**WAY, "customer": ada["id"]})
    assert await open_quotes(acme, order) == ["Ada's", "Public"]
    assert await names(acme, payload=order["payload"]["id"]) == ["Ada's", "Public"]
    await change(acme, f"orders/{order['id']}", customer=eve["id"])
    assert await open_quotes(acme, order) == ["Gold", "Public"]


async def test_a_quote_of_a_customers_rate_is_for_that_customer(acme: Firm) -> None:
    ada = await make(acme, "contacts", {"name": "Ada"})
    eve = await make(acme, "contacts", {"name": "Eve"})
    await rate(acme, service_name="Ada's", customers=[ada["id"]])
    (quote,) = await ask(acme.api, **POINTS, customer=ada["id"])
    stolen = {**POINTS, "customer": eve["id"], "service_quote": quote["id"]}
    refused(await acme.api.post("/v1/orders", json=stolen), 409, "quote_stale")
    accepted = await acme.api.post(f"/v1/service-quotes/{quote['id']}/accept", json={})
    assert accepted.status_code == 201
    order = await make(acme, "orders", {**POINTS, "customer": eve["id"]})
    accept = f"/v1/service-quotes/{quote['id']}/accept"
    refused(await acme.api.post(accept, json={"order": order["id"]}), 409, "quote_stale")
    order = await make(acme, "orders", {**POINTS, "customer": ada["id"]})
    assert (await acme.api.post(accept, json={"order": order["id"]})).status_code == 200


async def test_a_quote_of_a_rate_for_all_is_for_any_customer(acme: Firm) -> None:
    ada = await make(acme, "contacts", {"name": "Ada"})
    await rate(acme)
    (quote,) = await ask(acme.api, **POINTS)
    body = {**POINTS, "customer": ada["id"], "service_quote": quote["id"]}
    assert (await make(acme, "orders", body))["price_status"] == "accepted"


async def test_a_shop_shows_a_customers_rates_to_that_customer_alone(acme: Firm) -> None:
    mall = Mall(acme, count(1))
    me, client = await mall.visitor()
    _, stranger = await mall.visitor(name="Eve")
    await rate(acme, service_name="Public", public=True)
    await rate(acme, service_name="Mine", public=True, base_fee=100, customers=[me["id"]])
    await rate(acme, service_name="Internal", base_fee=50, customers=[me["id"]])
    assert await shop_names(client) == ["Mine", "Public"]
    assert await shop_names(stranger) == ["Public"]
    assert await shop_names(acme.storefront) == ["Public"]
    assert await shop_names(mall.signed("cst_live_0")) == ["Public"]


async def shop_names(client: httpx.AsyncClient) -> list[str]:
    return [quote["service_rate_name"] for quote in await ask(client, SHOP_QUOTES)]


async def open_quotes(firm: Firm, order: dict[str, Any]) -> list[str]:
    answer = await firm.api.get(
        f"/v1/orders/{order['id']}/service-quotes", params={"state": "open"}
    )
    rows = sorted(answer.json(), key=lambda row: int(row["amount"]))
    return [row["service_name"] for row in rows]


async def test_dispatch_takes_the_default_service_then_the_customers_rate_then_the_cheapest(
    acme: Firm,
) -> None:
    express = await rate(acme, service_name="Express", base_fee=900)
    cheap = await rate(acme, service_name="Cheap", base_fee=100)
    ada = await make(acme, "contacts", {"name": "Ada"})
    await rate(acme, service_name="Gold", base_fee=400, price_groups=["gold"])
    await rate(acme, service_name="Gold plus", base_fee=500, price_groups=["gold"])
    assert await dispatched(acme, ada) == "Cheap"
    await change(acme, f"contacts/{ada['id']}", price_group="gold")
    assert await dispatched(acme, ada) == "Gold"
    await change(acme, f"contacts/{ada['id']}", default_service=express["id"])
    assert await dispatched(acme, ada) == "Express"
    await change(acme, f"service-rates/{express['id']}", status="inactive")
    assert await dispatched(acme, ada) == "Gold"
    await change(acme, f"contacts/{ada['id']}", default_service=cheap["id"])
    assert await dispatched(acme, ada) == "Cheap"


async def dispatched(firm: Firm, customer: dict[str, Any]) -> str:
    """Dispatch an order of a customer, and name the rate by which it is charged."""
    body = {**POINTS, "customer": customer["id"], "adhoc": True, "dispatch": True}
    order = await make(firm, "orders", body)
    quote = await firm.api.get(f"/v1/service-quotes/{order['service_quote']}")
    return str(quote.json()["service_name"])
