"""Drivers hand their cash in, the difference is recorded, and merchants get their money."""

import asyncio
from typing import Any

from orders.shop import Shop
from probe import paths, refused
from stage import Firm


async def collect(
    shop: Shop, driver: dict[str, Any], amount: int = 1000, currency: str = "SGD", **more: Any
) -> dict[str, Any]:
    """Let a driver collect cash."""
    method = more.pop("method", None)
    order = await shop.order(driver=driver["id"], cod_amount=amount, cod_currency=currency, **more)
    return await shop.act(order, "collect-cash", amount=amount, method=method)


async def hand_in(shop: Shop, driver: dict[str, Any], **body: Any) -> Any:
    return await shop.firm.api.post(f"/v1/drivers/{driver['id']}/cash/hand-in", json=body)


async def test_a_count_closes_the_collections_of_one_currency(shop: Shop) -> None:
    ada = await shop.driver()
    await collect(shop, ada, 1000)
    await collect(shop, ada, 2500, method="check")
    await collect(shop, ada, 9000, method="card")
    euro = await collect(shop, ada, 300, "EUR")
    before = await shop.get(f"drivers/{ada['id']}/cash")
    assert [(one["currency"], one["balance"]) for one in before["balances"]] == [
        ("EUR", 300), ("SGD", 3500),
    ]  # fmt: skip
    body = {"currency": "sgd", "counted_amount": 3400, "remarks": "One note is missing."}
    made = (await hand_in(shop, ada, **body)).json()
    expected = {
        "driver": ada["id"], "currency": "SGD", "collections": 2, "expected_amount": 3500,
        "counted_amount": 3400, "difference": -100, "remarks": "One note is missing.",
    }  # fmt: skip
    assert {name: made[name] for name in expected} == expected
    after = await shop.get(f"drivers/{ada['id']}/cash")
    assert [one["collections"] for one in after["balances"]] == [[euro]]
    refused(await hand_in(shop, ada, **body), 409, "nothing_to_hand_in")
    handed = await shop.get("cash/collections?handed_in=true&currency=SGD")
    assert sorted(one["hand_in"] or "" for one in handed) == ["", made["id"], made["id"]]
    assert [one["id"] for one in await shop.get("cash/collections?handed_in=false")] == [euro["id"]]


async def test_a_stale_balance_is_not_handed_in(shop: Shop) -> None:
    ada = await shop.driver()
    await collect(shop, ada)
    await collect(shop, ada)
    body = {"currency": "SGD", "counted_amount": 1000, "expected_amount": 1000}
    refused(await hand_in(shop, ada, **body), 409, "cash_balance_changed")
    now = {"currency": "SGD", "counted_amount": 2000, "expected_amount": 2000}
    assert (await hand_in(shop, ada, **now)).status_code == 201
    assert paths(await hand_in(shop, ada, currency="XXY", counted_amount=1)) == ["currency"]


async def test_differences_are_reported(shop: Shop) -> None:
    ada, grace = await shop.driver(), await shop.driver(name="Grace")
    for driver, counted in ((ada, 900), (ada, 1300), (grace, 1000)):
        await collect(shop, driver)
        await hand_in(shop, driver, currency="SGD", counted_amount=counted)
    rows = await shop.get("cash/differences")
    assert rows == [
        {
            "driver": ada["id"], "name": ada["name"], "currency": "SGD", "collections": 0,
            "uncollected": 0, "hand_ins": 2,
            "missing": 100, "surplus": 300, "difference": 200,
        }
    ]  # fmt: skip
    assert await shop.get(f"cash/differences?driver={grace['id']}") == []
    assert await shop.get("cash/differences?since=2026-01-16T00:00:00Z") == []
    listed = await shop.get("cash/hand-ins?has_difference=true")
    assert [one["difference"] for one in listed] == [300, -100]
    assert len(await shop.get(f"cash/hand-ins?driver={ada['id']}&has_difference=false")) == 0
    assert await shop.get(f"cash/hand-ins/{listed[0]['id']}") == listed[0]


async def test_a_merchant_gets_what_was_handed_in(shop: Shop) -> None:
    ada = await shop.driver()
    merchant = await shop.post("contacts", name="Corner shop")
    other = await shop.post("contacts", name="Bakery")
    await collect(shop, ada, 1000, customer=merchant["id"])
    await collect(shop, ada, 400, customer=merchant["id"], method="card")
    await collect(shop, ada, 70, customer=other["id"])
    body = {"customer": merchant["id"], "currency": "SGD", "reference": "Transfer 7"}
    balances = await shop.get("cash/balances")
    assert [(one["driver"], one["balance"]) for one in balances["drivers"]] == [(ada["id"], 1070)]
    assert [(one["name"], one["amount"]) for one in balances["customers"]] == [("Corner shop", 400)]
    await hand_in(shop, ada, currency="SGD", counted_amount=1070)
    made = await shop.post("cash/remittances", **body)
    assert (made["amount"], made["collections"], made["customer"]) == (1400, 2, merchant["id"])
    assert made["reference"] == "Transfer 7"
    again = await shop.firm.api.post("/v1/cash/remittances", json=body)
    refused(again, 409, "nothing_to_remit")
    left = await shop.get("cash/balances")
    assert [(one["name"], one["amount"]) for one in left["customers"]] == [("Bakery", 70)]
    listed = await shop.get(f"cash/collections?customer={merchant['id']}&remitted=true")
    assert {one["remittance"] for one in listed} == {made["id"]}
    assert await shop.get(f"cash/remittances?customer={merchant['id']}") == [made]


async def test_two_counts_at_once_close_each_collection_once(shop: Shop) -> None:
    ada = await shop.driver()
    for _ in range(3):
        await collect(shop, ada)
    answers = await asyncio.gather(
        *(hand_in(shop, ada, currency="SGD", counted_amount=3000) for _ in range(4))
    )
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    [made] = [answer.json() for answer in answers if answer.status_code == 201]
    assert (made["collections"], made["expected_amount"]) == (3, 3000)


async def test_cash_collected_during_a_count_is_in_one_count(shop: Shop) -> None:
    ada = await shop.driver()
    merchant = await shop.post("contacts", name="Corner shop")
    handed = 0
    for _ in range(5):
        jobs = [collect(shop, ada, customer=merchant["id"]) for _ in range(3)]
        counts = [hand_in(shop, ada, currency="SGD", counted_amount=0) for _ in range(2)]
        remits = [
            shop.firm.api.post(
                "/v1/cash/remittances", json={"customer": merchant["id"], "currency": "SGD"}
            )
            for _ in range(2)
        ]
        _, answers, paid = await asyncio.gather(
            asyncio.gather(*jobs), asyncio.gather(*counts), asyncio.gather(*remits)
        )
        assert {answer.status_code for answer in [*answers, *paid]} <= {201, 409}
        handed += sum(
            answer.json()["expected_amount"] for answer in answers if answer.status_code == 201
        )
    cash = await shop.get(f"drivers/{ada['id']}/cash")
    carried = sum(one["balance"] for one in cash["balances"])
    assert handed + carried == 15 * 1000
    remitted = sum(one["amount"] for one in await shop.get("cash/remittances"))
    payable = sum(one["amount"] for one in (await shop.get("cash/balances"))["customers"])
    assert remitted + payable == handed


async def test_operators_hand_in_and_billing_operators_remit(shop: Shop, acme: Firm) -> None:
    ada = await shop.driver()
    merchant = await shop.post("contacts", name="Corner shop")
    await collect(shop, ada, customer=merchant["id"])
    path = f"/int/v1/drivers/{ada['id']}/cash"
    body = {"currency": "SGD", "counted_amount": 1000}
    viewer = await acme.operator("viewer")
    assert (await viewer.get(path)).json()["balances"][0]["balance"] == 1000
    refused(await viewer.post(f"{path}/hand-in", json=body), 403, "forbidden")
    dispatcher = await acme.operator("dispatcher")
    made = await dispatcher.post(f"{path}/hand-in", json=body)
    assert made.status_code == 201, made.text
    assert made.json()["actor"]["kind"] == "operator"
    remit = {"customer": merchant["id"], "currency": "SGD"}
    refused(await dispatcher.post("/int/v1/cash/remittances", json=remit), 403, "forbidden")
    billing = await acme.operator("billing")
    paid = await billing.post("/int/v1/cash/remittances", json=remit)
    assert paid.status_code == 201, paid.text
    assert (await viewer.get("/int/v1/cash/hand-ins")).json()["data"] == [made.json()]
