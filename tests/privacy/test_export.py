"""Somebody's data are taken away whole, and nobody else's with them."""

import json
import zipfile
from io import BytesIO

import pytest

from customers.mall import Mall
from orders.shop import CHANGI, MANDAI
from pannier.kit.clock import ManualClock
from privacy import traces
from privacy.traces import HERE, MARK, OLD_PHONE, OTHER, PHONE
from probe import refused
from proofs.evidence import Courier
from stage import Firm


@pytest.mark.slow
async def test_an_export_has_everything_of_the_person_and_nothing_of_others(
    mall: Mall, courier: Courier, rival: Firm
) -> None:
    made, client = await traces.ada(mall)
    assert (await client.post(f"{HERE}/payment-setup-intent")).status_code == 200
    order = await traces.history(courier, made)
    await traces.owed(mall, made, order)
    eve, _ = await mall.visitor(name=f"Eve {OTHER}", meta={"a": OTHER})
    await courier.order(customer=eve["id"], notes=OTHER)
    gift = {"waypoints": [{**MANDAI, "contact": made["contact"], "notes": f"{MARK} gift"}, MANDAI]}
    await courier.order(customer=eve["id"], notes=OTHER, payload=gift)
    path = f"/int/v1/customers/{made['id']}/export"
    answer = await mall.firm.admin.get(path)
    assert answer.headers["content-type"] == "application/json"
    told = answer.json()
    assert OTHER not in answer.text
    assert (told["customer"]["name"], told["customer"]["meta"]) == (f"Ada {MARK}", {"a": MARK})
    assert {row["phone"] for row in told["contacts"]} == {made["phone"]}
    assert {row["tax_number"] for row in told["contacts"]} == {None, MARK}
    assert told["devices"][0]["token"] == f"{MARK} device"
    assert [row["gateway"] for row in told["payment_accounts"]] == ["fake"]
    assert {row["status"] for row in told["transactions"]} == {"paid", "unpaid", "voided"}
    assert {row["channel"] for row in told["messages"]} == {"sms", "push"}
    assert {row["method"] for row in told["sessions"]} == {"sms"}
    assert len(told["orders"]) == 4
    [shown] = [row for row in told["orders"] if row["id"] == order["id"]]
    [stop] = shown["waypoints"]
    assert (shown["notes"], stop["notes"]) == (f"Ask for {MARK}.", MARK)
    assert stop["place"]["security_access_code"] == f"{MARK} code"
    assert shown["issues"][0]["title"] == MARK
    assert [row["body"] for row in shown["driver_messages"]] == [f"{MARK} is not at home."]
    assert [row["reason"] for row in shown["cash"]] == [f"{MARK} had no more."]
    signed, photo = shown["proofs"]
    assert signed["data"]["signer"] == {"name": f"Ada {MARK}"}
    assert "captured_by" not in signed["data"]
    notes = [stop["notes"] for row in told["orders"] for stop in row["waypoints"]]
    assert notes == [MARK, f"{MARK} gift"]

    packed = zipfile.ZipFile(BytesIO((await mall.firm.admin.get(f"{path}?format=zip")).content))
    assert json.loads(packed.read("customer.json"))["orders"] == told["orders"]
    pictures = {signed["picture"], photo["picture"]}
    assert {"customer.json", *pictures} == set(packed.namelist())
    assert packed.read(photo["picture"])[:2] == b"\xff\xd8"

    refused(await rival.admin.get(path), 404, "not_found")
    viewer = await mall.firm.operator("viewer")
    refused(await viewer.get(path), 403, "forbidden")
    assert PHONE not in answer.text


@pytest.mark.slow
@pytest.mark.parametrize("marks", [("from", "to"), ("from", "by", "past", "to")])
async def test_who_placed_an_order_themself_takes_every_place_along(
    mall: Mall, marks: tuple[str, ...]
) -> None:
    made, client = await mall.visitor()
    await traces.bought(mall, client, *marks)
    told = (await mall.firm.admin.get(f"/int/v1/customers/{made['id']}/export")).json()
    [order] = told["orders"]
    ends = [order["pickup"], *(stop["place"] for stop in order["waypoints"]), order["dropoff"]]
    assert [end["street1"] for end in ends if end] == [f"{mark} street" for mark in marks]


@pytest.mark.slow
@pytest.mark.parametrize("marks", [("from", "to"), ("from", "by", "past", "to")])
async def test_a_place_of_the_companys_that_an_order_calls_at_is_not_taken_along(
    mall: Mall, courier: Courier, clock: ManualClock, marks: tuple[str, ...]
) -> None:
    made, client = await mall.visitor()
    order = await traces.bought(mall, client, *marks)
    clock.advance(seconds=1)
    depot = await courier.post("places", **traces.place(CHANGI, OTHER))
    read = await courier.get(f"orders/{order['id']}")
    path, wish = f"orders/{order['id']}", {"pickup": depot["id"]}
    if stops := read["payload"]["waypoints"]:
        path, wish = f"waypoints/{stops[1]['id']}", {"place": depot["id"]}
        # That another stop there was taken out again makes the place nobody's.
        gone = f"/v1/waypoints/{stops[2]['id']}"
        assert (await mall.firm.api.put(gone, json=wish)).status_code == 200
        assert (await mall.firm.api.delete(gone)).status_code == 200
    changed = await mall.firm.api.put(f"/v1/{path}", json=wish)
    assert changed.status_code == 200, changed.text
    told = await mall.firm.admin.get(f"/int/v1/customers/{made['id']}/export")
    assert f"{marks[-1]} street" in told.text
    assert OTHER not in told.text


@pytest.mark.slow
async def test_what_was_packed_for_somebody_and_never_ordered_is_taken_along(
    mall: Mall, courier: Courier
) -> None:
    made, _ = await mall.visitor()
    stops = [
        {"place": traces.place(CHANGI, OTHER), "notes": OTHER},
        {"place": traces.place(MANDAI, MARK), "contact": made["contact"], "notes": MARK},
    ]
    items = [
        {"name": "Box", "description": MARK, "destination": 1},
        {"name": "Box", "description": OTHER, "destination": 0},
    ]
    await courier.post("payloads", waypoints=stops, entities=items)
    await courier.post("entities", name="Bag", description=MARK, customer=made["contact"])
    answer = await mall.firm.admin.get(f"/int/v1/customers/{made['id']}/export")
    told = answer.json()
    [stop] = told["waypoints"]
    assert (stop["notes"], stop["place"]["street1"]) == (MARK, f"{MARK} street")
    items_told = sorted((item["name"], item["description"]) for item in told["entities"])
    assert items_told == [("Bag", MARK), ("Box", MARK)]
    assert OTHER not in answer.text


async def taken_away(mall: Mall, customer: str) -> list[tuple[str, str]]:
    """Take somebody's messages away: to whom each went, and when."""
    told = await mall.firm.admin.get(f"/int/v1/customers/{customer}/export")
    return [(row["recipient"], row["created_at"]) for row in told.json()["messages"]]


@pytest.mark.slow
async def test_messages_to_a_phone_that_somebody_only_said_is_theirs_are_not_shown_to_them(
    mall: Mall,
) -> None:
    await mall.registered(phone=PHONE)
    await mall.post("request-creation-code", email="eve@example.com")
    said = {"email": "eve@example.com", "phone": PHONE, "code": await mall.texted()}
    eve = await mall.post("", name="Eve", **said)
    assert eve.json()["phone"] == PHONE
    [(recipient, _)] = await taken_away(mall, eve.json()["id"])
    assert recipient == "eve@example.com"


@pytest.mark.slow
async def test_what_the_next_owner_of_a_phone_is_sent_is_not_shown_to_the_one_before(
    mall: Mall, clock: ManualClock
) -> None:
    ada, client = await mall.visitor(phone=OLD_PHONE)
    await client.post(f"{HERE}/request-phone-verification", json={"phone": PHONE})
    moved = await client.post(f"{HERE}/verify-phone-number", json={"code": await mall.texted()})
    assert moved.status_code == 200, moved.text
    before = await taken_away(mall, ada["id"])
    assert {recipient for recipient, _ in before} == {OLD_PHONE, PHONE}
    clock.advance(hours=1)
    await mall.registered(phone=OLD_PHONE, name="Eve")
    clock.advance(hours=1)
    asked = clock.now().isoformat()[:19]
    assert (await mall.post("login-with-sms", phone=OLD_PHONE)).status_code == 200
    now = await taken_away(mall, ada["id"])
    assert set(before) <= set(now)
    assert not [sent for _, sent in now if sent.startswith(asked)]
