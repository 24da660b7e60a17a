"""Sample data of an empty company: added by one request, removed by another, and known as such."""

import asyncio
from typing import Any

import pytest

from news.waiting import all_told
from orders.shop import Shop
from pannier.accounts.models import Role
from stage import Firm, House

API = "/int/v1/sample-data"
COUNTED = ("orders", "drivers", "vehicles", "contacts", "places")


async def add(firm: Firm) -> list[dict[str, Any]]:
    answer = await firm.admin.post(API)
    assert answer.status_code == 201, answer.text
    records: list[dict[str, Any]] = answer.json()["records"]
    return records


async def remove(firm: Firm) -> dict[str, Any]:
    answer = await firm.admin.delete(API)
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def look(firm: Firm, resource: str) -> list[dict[str, Any]]:
    answer = await firm.api.get(f"/v1/{resource}?limit=100")
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()
    return rows


async def count(firm: Firm) -> dict[str, int]:
    return {resource: len(await look(firm, resource)) for resource in COUNTED}


async def test_an_empty_company_gets_marked_sample_data_and_is_empty_again(acme: Firm) -> None:
    before = await count(acme)
    records = await add(acme)
    for resource in COUNTED:
        added = {row["record"] for row in records if row["resource"] == resource}
        rows = [row for row in await look(acme, resource) if row["id"] in added]
        assert len(rows) == len(added) > 1
        assert all(row["meta"] == {"sample": True} for row in rows), resource
    orders = await look(acme, "orders")
    assert {row["internal_id"] for row in orders} == {f"SAMPLE-{n}" for n in range(1, 7)}
    assert {row["status"] for row in orders} == {"created"}
    assert (await acme.admin.get(API)).json()["records"] == records
    assert await remove(acme) == {"records": [], "removed": len(records)}
    assert await count(acme) == before
    assert (await acme.admin.get("/int/v1/service-rates")).json()["data"] == []
    # And a second time.
    assert len(await add(acme)) == len(records)
    assert await remove(acme) == {"records": [], "removed": len(records)}


async def test_what_was_changed_or_is_in_use_stays_with_the_reason(acme: Firm) -> None:
    records = await add(acme)
    ids = {
        resource: [row["record"] for row in records if row["resource"] == resource]
        for resource in COUNTED
    }
    driver, place = ids["drivers"][0], ids["places"][-1]
    await acme.api.patch(f"/v1/drivers/{driver}", json={"name": "Ada"})
    shop = Shop(acme)
    mine = await shop.order(dropoff=place)
    # It has the second driver.
    order = ids["orders"][5]
    sent = await acme.api.post(f"/v1/orders/{order}/dispatch", json={})
    assert sent.status_code == 200, sent.text
    told = await remove(acme)
    reasons = {row["record"]: row["reason"] for row in told["records"]}
    assert reasons.pop(driver) == "The record was changed after it was added."
    assert reasons.pop(place) == "The place is in use by an order, a contact or a driver."
    assert "dispatched" in reasons.pop(order)
    # What the order and the driver need stays too: their vehicles, another driver, a contact, and
    # the depot.
    assert len(reasons) == 5
    assert all("in use" in reason or "has" in reason for reason in reasons.values())
    assert told["removed"] == len(records) - 8
    assert (await acme.admin.get(API)).json()["records"] == told["records"]
    assert {row["id"] for row in await look(acme, "orders")} == {mine["id"], order}


async def test_the_rest_can_be_removed_once_nothing_needs_it(acme: Firm) -> None:
    records = await add(acme)
    place = next(row["record"] for row in records if row["resource"] == "places")
    mine = await Shop(acme).order(pickup=place)
    assert [row["record"] for row in (await remove(acme))["records"]] == [place]
    assert (await acme.api.delete(f"/v1/orders/{mine['id']}")).status_code == 200
    assert await remove(acme) == {"records": [], "removed": 1}


async def test_two_requests_at_once_add_it_once(acme: Firm) -> None:
    answers = await asyncio.gather(*(acme.admin.post(API) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]
    assert {a.json()["code"] for a in answers if a.status_code == 409} == {"sample_data_exists"}
    assert len(await look(acme, "orders")) == 6
    answers = await asyncio.gather(*(acme.admin.delete(API) for _ in range(4)))
    assert {answer.status_code for answer in answers} == {200}
    assert sorted(answer.json()["removed"] for answer in answers) == [0, 0, 0, 24]
    assert await look(acme, "orders") == []


@pytest.mark.parametrize("used", ["orders", "webhooks"])
async def test_a_company_in_use_gets_none(acme: Firm, used: str) -> None:
    if used == "orders":
        await Shop(acme).order()
    else:
        await acme.admin.post("/int/v1/webhooks", json={"url": "https://93.184.216.34/hook"})
    refused = await acme.admin.post(API)
    assert (refused.status_code, refused.json()["code"]) == (409, "company_in_use")
    assert await look(acme, "drivers") == []


async def test_sample_data_sends_no_messages(acme: Firm, house: House) -> None:
    await add(acme)
    assigned = [row for row in await look(acme, "orders") if row["driver_assigned"]]
    assert len(assigned) == 2
    for order in assigned:
        for action in ("dispatch", "start"):
            sent = await acme.api.post(f"/v1/orders/{order['id']}/{action}", json={})
            assert sent.status_code == 200, sent.text
    await all_told(house)
    assert await house.value("select count(*) from messages") == 0
    # Integrators recognise the events.
    answer = await acme.admin.get("/int/v1/events?limit=100")
    assert answer.status_code == 200, answer.text
    events = [event for event in answer.json()["data"] if event["event"].startswith("order.")]
    assert len(events) >= 8
    assert all(event["body"]["data"]["meta"] == {"sample": True} for event in events)


async def test_it_is_in_the_log_and_only_admins_may(acme: Firm, rival: Firm) -> None:
    await add(acme)
    await remove(acme)
    for action in ("sample_data.added", "sample_data.removed"):
        log = (await acme.admin.get(f"/int/v1/audit?action={action}")).json()["data"]
        assert len(log) == 1, action
    roles: tuple[Role, ...] = ("viewer", "billing", "dispatcher")
    for role in roles:
        operator = await acme.operator(role)
        for method in ("GET", "POST", "DELETE"):
            assert (await operator.request(method, API)).status_code == 403
    assert (await rival.admin.get(API)).json()["records"] == []


async def test_nobody_removes_the_sample_data_of_another_company(acme: Firm, rival: Firm) -> None:
    records = await add(acme)
    assert (await remove(rival))["removed"] == 0
    assert (await acme.admin.get(API)).json()["records"] == records
