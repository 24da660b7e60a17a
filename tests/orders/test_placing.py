"""Orders: placed in three ways, changed, listed, deleted."""

from typing import Any

import pytest

from orders.shop import CHANGI, DELIVERED, MANDAI, RAFFLES, Shop
from probe import paths, refused
from stage import Firm


async def test_an_order_is_placed_from_a_payload_by_its_id(shop: Shop) -> None:
    payload = await shop.post("payloads", pickup=RAFFLES, dropoff=MANDAI)
    for name in (payload["id"],):
        order = await shop.post("orders", payload=name)
        assert order["payload"]["id"] == payload["id"]
    assert (await shop.get(f"payloads/{payload['id']}"))["order"] == order["id"]


async def test_an_order_is_placed_with_a_payload_inside(shop: Shop) -> None:
    order = await shop.post(
        "orders", payload={"pickup": RAFFLES, "dropoff": MANDAI, "entities": [{"name": "Box"}]}
    )
    assert order["payload"]["pickup"]["street1"] == "1 Raffles Place"
    assert [item["name"] for item in order["payload"]["entities"]] == ["Box"]


async def test_an_order_is_placed_with_its_parts_at_the_top(shop: Shop) -> None:
    order = await shop.post("orders", pickup=RAFFLES, dropoff=MANDAI, entities=[{"name": "Box"}])
    assert order["id"].startswith("order_")
    assert (order["status"], order["type"]) == ("created", "transport")
    assert (order["dispatched"], order["started"]) == (False, False)
    assert order["payload"]["dropoff"]["address"].startswith("80 Mandai Lake Road")
    assert order["tracking_number"]["tracking_number"].startswith("ACM-")
    assert order["distance"] == pytest.approx(1.3 * 14_970, rel=0.01)
    assert order["time"] == pytest.approx(order["distance"] / 13.9, rel=0.01)
    assert await shop.get(f"orders/{order['id']}") == order
    assert await shop.get(f"orders/{order['uuid']}") == order


@pytest.mark.parametrize(
    "spelling",
    [
        "id",
        "uuid",
        "1 Raffles Place, Singapore",
        "1.284,103.851",
        {"latitude": 1.284, "longitude": 103.851},
        {"type": "Point", "coordinates": [103.851, 1.284]},
        {"street1": "1 Raffles Place", "country": "SG"},
        {"location": {"latitude": 1.284, "longitude": 103.851}, "name": "Bank"},
    ],
)
async def test_a_place_is_taken_in_every_spelling(shop: Shop, spelling: Any) -> None:
    if spelling in ("id", "uuid"):
        spelling = (await shop.post("places", **RAFFLES))[spelling]
    order = await shop.order(pickup=spelling, dropoff=MANDAI)
    assert order["payload"]["pickup"]["id"].startswith("place_")


async def test_without_a_place_to_go_to_it_is_refused_and_nothing_is_kept(
    shop: Shop, acme: Firm
) -> None:
    for body in ({}, {"pickup": RAFFLES}, {"payload": {}}, {"waypoints": []}):
        answer = await acme.api.post("/v1/orders", json=body)
        refused(answer, 422, "validation_failed")
    assert await shop.get("places") == []
    assert await shop.told() == []


async def test_what_names_something_else_is_no_address(shop: Shop, acme: Firm) -> None:
    other = (await shop.post("contacts", name="Ada"))["id"]
    for body in (
        {"pickup": other, "dropoff": MANDAI},
        {"pickup": RAFFLES, "dropoff": "driver_4kQ8ZpL0sVxYt2Wn"},
        {"waypoints": [RAFFLES, {"place": other}]},
    ):
        found = paths(await acme.api.post("/v1/orders", json=body))
        assert found in (["pickup"], ["dropoff"], ["waypoints[1].place"])
    assert await shop.get("places") == []


async def test_a_payload_and_its_parts_at_once_are_refused(acme: Firm) -> None:
    body = {"payload": {"pickup": RAFFLES, "dropoff": MANDAI}, "pickup": RAFFLES}
    assert paths(await acme.api.post("/v1/orders", json=body)) == ["payload"]


async def test_a_payload_moves_in_one_order_only(shop: Shop, acme: Firm) -> None:
    payload = await shop.post("payloads", pickup=RAFFLES, dropoff=MANDAI)
    await shop.post("orders", payload=payload["id"])
    refused(
        await acme.api.post("/v1/orders", json={"payload": payload["uuid"]}), 409, "payload_taken"
    )


async def test_the_customer_is_a_contact_a_vendor_or_somebody_new(shop: Shop) -> None:
    contact = await shop.post("contacts", name="Ada")
    vendor = await shop.post("vendors", name="Swift")
    one = await shop.order(customer=contact["id"], facilitator=vendor["uuid"])
    assert (one["customer"]["name"], one["customer_type"]) == ("Ada", "contact")
    assert (one["facilitator"]["name"], one["facilitator_type"]) == ("Swift", "vendor")
    two = await shop.order(customer={"name": "Grace", "phone": "+6591234567"})
    assert two["customer"]["phone"] == "+6591234567"
    assert (await shop.get(f"contacts/{two['customer']['id']}"))["type"] == "customer"
    three = await shop.order(customer=vendor["id"])
    assert three["customer_type"] == "vendor"


@pytest.mark.parametrize(
    "field", ["customer", "facilitator", "driver", "vehicle", "payload", "order_config"]
)
async def test_what_is_not_there_is_named(acme: Firm, field: str) -> None:
    parts = {} if field == "payload" else {"pickup": RAFFLES, "dropoff": MANDAI}
    answer = await acme.api.post("/v1/orders", json={**parts, field: "thing_0000000000000000"})
    refused(answer, 404, "not_found")
    assert [each["path"] for each in answer.json()["fields"]] == [field]


@pytest.mark.parametrize("field", ["driver", "vehicle"])
async def test_an_empty_identifier_is_refused_and_not_left_out(acme: Firm, field: str) -> None:
    order = {"pickup": RAFFLES, "dropoff": MANDAI, field: ""}
    answer = await acme.api.post("/v1/orders", json=order)
    refused(answer, 404, "not_found")
    assert [each["path"] for each in answer.json()["fields"]] == [field]


async def test_an_order_runs_on_the_flow_it_names_in_the_version_it_began_with(shop: Shop) -> None:
    config = await shop.config(*DELIVERED, key="special")
    for name in (config["id"], config["uuid"], "special"):
        order = await shop.started(order_config=name)
        assert (order["type"], order["order_config"]) == ("special", config["id"])
    await shop.patch(
        f"order-configs/{config['id']}",
        flow=[{"code": "other", "next": ["delivered"]}, *DELIVERED],
    )
    assert await shop.upcoming(order) == ["delivered"]
    newer = await shop.started(type="special")
    assert await shop.upcoming(newer) == ["other"]


async def test_an_inactive_flow_takes_no_orders(shop: Shop, acme: Firm) -> None:
    await shop.config(*DELIVERED, key="special", status="inactive")
    body = {"pickup": RAFFLES, "dropoff": MANDAI, "type": "special"}
    assert paths(await acme.api.post("/v1/orders", json=body)) == ["type"]


async def test_dispatching_at_once_needs_a_driver(shop: Shop, acme: Firm) -> None:
    body = {"pickup": RAFFLES, "dropoff": MANDAI, "dispatch": True}
    refused(await acme.api.post("/v1/orders", json=body), 409, "driver_required")
    assert await shop.get("orders") == []
    order = await shop.ready(dispatch=True)
    assert (order["status"], order["dispatched"]) == ("dispatched", True)


async def test_a_change_is_told_once_with_what_changed(shop: Shop) -> None:
    order = await shop.order()
    address = f"orders/{order['id']}"
    body = {"notes": "Ring twice.", "internal_id": "SO-1", "meta": {"shift": "am"}}
    changed = await shop.patch(address, **body)
    assert (changed["notes"], changed["version"]) == ("Ring twice.", order["version"] + 1)
    again = await shop.patch(address, **body)
    assert again == changed
    await shop.patch(address)
    [event] = await shop.told("order.updated")
    assert sorted(event["data"]["changed"]) == ["internal_id", "meta", "notes"]
    assert event["data"]["notes"] == "Ring twice."


async def test_another_way_is_a_change_of_the_payload_and_of_the_distance(shop: Shop) -> None:
    order = await shop.order()
    changed = await shop.patch(f"orders/{order['id']}", dropoff=CHANGI)
    assert changed["payload"]["dropoff"]["street1"] == "60 Airport Boulevard"
    assert changed["distance"] != order["distance"]
    [event] = await shop.told("order.updated")
    assert event["data"]["changed"] == ["payload", "distance", "time"]
    assert event["data"]["payload"]["dropoff"].startswith("60 Airport Boulevard")


async def test_sending_an_order_back_as_it_was_read_changes_nothing(shop: Shop) -> None:
    contact = await shop.post("contacts", name="Ada")
    order = await shop.ready(
        waypoints=[{**RAFFLES, "type": "pickup"}, MANDAI], customer=contact["id"],
        entities=[{"name": "Box", "destination": 1}],
    )  # fmt: skip
    body = {**order, "customer": contact["id"], "driver": order["driver_assigned"]["id"]}
    assert await shop.patch(f"orders/{order['id']}", **body) == order
    assert await shop.told("order.updated") == []


async def test_a_proof_that_is_required_has_a_method(shop: Shop, acme: Firm) -> None:
    body = {"pickup": RAFFLES, "dropoff": MANDAI, "pod_required": True}
    assert paths(await acme.api.post("/v1/orders", json=body)) == ["pod_method"]
    order = await shop.order(pod_required=True, pod_method="sms")
    answer = await acme.api.patch(f"/v1/orders/{order['id']}", json={"pod_method": None})
    assert paths(answer) == ["pod_method"]


async def test_an_order_that_is_over_keeps_its_story(shop: Shop, acme: Firm) -> None:
    order = await shop.order()
    await shop.act(order, "cancel")
    address = f"/v1/orders/{order['id']}"
    for body in ({"dropoff": CHANGI}, {"pod_required": False}, {"scheduled_at": None}):
        refused(await acme.api.patch(address, json=body), 409, "order_closed")
    assert (await shop.patch(f"orders/{order['id']}", notes="Sorry."))["notes"] == "Sorry."


async def test_a_change_may_insist_on_what_was_read(shop: Shop, acme: Firm) -> None:
    order = await shop.order()
    address = f"/v1/orders/{order['id']}"
    tag = (await acme.api.get(address)).headers["etag"]
    right = await acme.api.patch(address, json={"notes": "A"}, headers={"If-Match": tag})
    assert right.status_code == 200
    late = await acme.api.patch(address, json={"notes": "B"}, headers={"If-Match": tag})
    refused(late, 412, "precondition_failed")
    refused(
        await acme.api.post(f"{address}/cancel", headers={"If-Match": tag}),
        412,
        "precondition_failed",
    )


async def test_deleting_an_open_order_cancels_it_first(shop: Shop, acme: Firm) -> None:
    order = await shop.order()
    gone = await acme.api.delete(f"/v1/orders/{order['id']}")
    assert gone.json()["object"] == "order"
    refused(await acme.api.get(f"/v1/orders/{order['id']}"), 404, "not_found")
    assert len(await shop.told("order.cancelled")) == 1


@pytest.mark.slow
async def test_orders_are_found_by_what_people_know_of_them(shop: Shop) -> None:
    ada = await shop.post("contacts", name="Ada Lovelace")
    place = await shop.post("places", **RAFFLES)
    one = await shop.order(internal_id="SO-1", customer=ada["id"], pickup=place["id"])
    two = await shop.ready(notes="fragile", scheduled_at="2026-02-01T09:00:00+08:00")
    await shop.act(two, "dispatch")
    number = one["tracking_number"]["tracking_number"]

    async def found(query: str) -> list[str]:
        names = {one["id"]: "one", two["id"]: "two"}
        return [names[row["id"]] for row in await shop.get(f"orders?{query}")]

    assert await found("") == ["two", "one"]
    assert await found("sort=created_at&limit=1") == ["one"]
    assert await found("query=lovelace") == ["one"]
    assert await found("query=so-1") == ["one"]
    assert await found("query=fragile") == ["two"]
    assert await found(f"query={number.lower().replace('-', '')}") == ["one"]
    assert await found(f"tracking={number}") == ["one"]
    assert await found("tracking=nonsense") == []
    assert await found("status=dispatched") == ["two"]
    assert await found("status[]=dispatched&status[]=created") == ["two", "one"]
    assert await found(f"driver={two['driver_assigned']['id']}") == ["two"]
    assert await found("unassigned=true") == ["one"]
    assert await found("active=true") == ["two"]
    assert await found("active=false") == ["one"]
    assert await found("dispatched=false") == ["one"]
    assert await found(f"customer={ada['uuid']}") == ["one"]
    assert await found(f"pickup={place['id']}") == ["one"]
    assert await found(f"payload={one['payload']['id']}") == ["one"]
    assert await found("internal_id=SO-1") == ["one"]
    assert await found("type=transport&order_config=transport") == ["two", "one"]
    assert await found("on=2026-02-01") == ["two"]
    assert await found("on=2026-01-15") == ["one"]
    assert await found("scheduled_since=2026-02-01T00:00:00Z") == ["two"]
    assert await found("since=2026-01-15T12:00:00Z") == ["two", "one"]
    assert await found("until=2026-01-15T12:00:00Z") == []


async def test_what_cannot_be_delivered_goes_back_to_a_place(shop: Shop) -> None:
    order = await shop.order(**{"return": CHANGI})
    assert order["payload"]["return"]["street1"] == "60 Airport Boulevard"
    changed = await shop.patch(f"orders/{order['id']}", **{"return": None})
    assert changed["payload"]["return"] is None
