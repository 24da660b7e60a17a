"""Orders saved under a name, and new orders from them."""

from typing import Any

import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from probe import refused
from stage import Firm

TEMPLATES = "/v1/order-templates"


@pytest.fixture
def shop(acme: Firm) -> Shop:
    return Shop(acme)


async def save(shop: Shop, order: dict[str, Any], name: str = "Mornings") -> dict[str, Any]:
    return await shop.post("order-templates", name=name, order=order["id"])


async def full(shop: Shop) -> dict[str, Any]:
    window = {
        "time_window_start": "2026-01-20T01:00:00Z", "time_window_end": "2026-01-20T02:00:00Z"
    }  # fmt: skip
    stops = [{"place": RAFFLES, "type": "pickup"}, {"place": MANDAI, **window}, {"place": CHANGI}]
    return await shop.ready(
        waypoints=stops, pickup=None, dropoff=None, notes="Twice.", internal_id="SO-1",
        customer={"name": "Ada", "phone": "+6591234567"}, cod_amount=700, cod_currency="SGD",
        entities=[{"name": "Box", "destination": 1}], scheduled_at="2026-01-20T00:00:00Z",
    )  # fmt: skip


async def test_a_template_makes_orders_on_any_day(shop: Shop, acme: Firm) -> None:
    await acme.admin.patch("/int/v1/settings", json={"time_zone": "Europe/Berlin"})
    order = await full(shop)
    template = await save(shop, order, "  Zoo \n daily ")
    assert template["name"] == "Zoo daily"
    assert template["body"]["scheduled_at"] == "2026-01-20T01:00:00"
    # The order itself may go.
    assert (await acme.api.delete(f"/v1/orders/{order['id']}")).status_code == 200
    path = f"{TEMPLATES}/{template['id']}/orders"
    answer = await acme.api.post(path, json={"day": "2026-03-30", "internal_id": "SO-2"})
    assert answer.status_code == 201, answer.text
    made = answer.json()
    assert (made["notes"], made["cod_amount"], made["internal_id"]) == ("Twice.", 700, "SO-2")
    assert (made["driver_assigned"], made["customer"]["name"]) == (None, "Ada")
    # Summer time has begun since: one o'clock is an hour earlier in UTC.
    assert made["scheduled_at"] == "2026-03-29T23:00:00.000Z"
    stop = made["payload"]["waypoints"][1]
    assert stop["time_window_end"] == "2026-03-30T01:00:00.000Z"
    assert made["payload"]["entities"][0]["destination"] == stop["id"]
    made = (await acme.api.post(path, json={})).json()
    assert (made["scheduled_at"], made["payload"]["waypoints"][1]["time_window_end"]) == (None,) * 2


async def test_templates_are_listed_renamed_replaced_and_deleted(shop: Shop, acme: Firm) -> None:
    order = await full(shop)
    zoo, bakery = await save(shop, order, "Zoo"), await save(shop, order, "Bakery 100%")
    found = (await acme.api.get(TEMPLATES, params={"sort": "name"})).json()
    assert [row["id"] for row in found] == [bakery["id"], zoo["id"]]
    found = (await acme.api.get(TEMPLATES, params={"query": "0%"})).json()
    assert [row["id"] for row in found] == [bakery["id"]]
    renamed = await acme.api.patch(f"{TEMPLATES}/{zoo['id']}", json={"name": "Zoo, mornings"})
    assert (renamed.json()["name"], renamed.json()["body"]) == ("Zoo, mornings", zoo["body"])
    other = await shop.ready(notes="Once.")
    changed = await acme.api.patch(f"{TEMPLATES}/{zoo['id']}", json={"order": other["id"]})
    assert changed.json()["body"]["notes"] == "Once."
    path = f"{TEMPLATES}/{zoo['id']}"
    stale = await acme.api.delete(path, headers={"If-Match": '"1"'})
    refused(stale, 412, "precondition_failed")
    assert (await acme.api.delete(path)).status_code == 200
    refused(await acme.api.get(path), 404, "not_found")
    refused(await acme.api.post(f"{path}/orders", json={}), 404, "not_found")


async def test_refusals_name_what_is_wrong(shop: Shop, acme: Firm, rival: Firm) -> None:
    order, foreign = await full(shop), await Shop(rival).ready()
    for body, status, path in (
        ({"name": " ", "order": order["id"]}, 422, "name"),
        ({"name": "Zoo", "order": foreign["id"]}, 404, "order"),
        ({"name": "Zoo"}, 422, "order"),
    ):
        answer = await acme.api.post(TEMPLATES, json=body)
        code = "not_found" if status == 404 else "validation_failed"
        assert [field["path"] for field in refused(answer, status, code)["fields"]] == [path]
    template = await save(shop, order)
    for method, path in (("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/orders")):
        body = None if method in {"GET", "DELETE"} else {}
        answer = await rival.api.request(method, f"{TEMPLATES}/{template['id']}{path}", json=body)
        refused(answer, 404, "not_found")
    assert (await rival.api.get(TEMPLATES)).json() == []
    # What the template refers to may be deleted later.
    gone = await acme.api.delete(f"/v1/contacts/{template['body']['customer']}")
    assert gone.status_code == 200
    problem = refused(
        await acme.api.post(f"{TEMPLATES}/{template['id']}/orders", json={}), 404, "not_found"
    )
    assert [field["path"] for field in problem["fields"]] == ["customer"]
