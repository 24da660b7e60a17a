"""Tracking: numbers for an order, its stops and items, and a status for each activity."""

import base64
from io import BytesIO
from xml.etree import ElementTree as ET

import pytest
import zxingcpp
from PIL import Image

from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from probe import paths, refused
from stage import Firm


async def test_an_order_its_stops_and_its_items_each_have_a_number(shop: Shop) -> None:
    order = await shop.order(
        waypoints=[RAFFLES, MANDAI], entities=[{"name": "Box", "destination": 1}]
    )
    rows = await shop.get(f"tracking-numbers?order={order['id']}")
    assert sorted(row["type"] for row in rows) == ["entity", "order", "waypoint", "waypoint"]
    assert len({row["tracking_number"] for row in rows}) == 4
    told = await shop.told("tracking_number.created")
    assert {event["data"]["tracking_number"] for event in told} == {
        row["tracking_number"] for row in rows
    }
    assert order["payload"]["entities"][0]["tracking_number"] in {
        row["tracking_number"] for row in rows
    }


async def test_every_activity_writes_a_status_with_place_and_time(shop: Shop) -> None:
    order = await shop.ready()
    driver = order["driver_assigned"]["id"]
    await shop.act(order, "dispatch")
    await shop.act(order, "start")
    await shop.post(f"drivers/{driver}/track", latitude=1.3, longitude=103.8)
    await shop.fire(order, "enroute")
    await shop.fire(order, "completed", location="1.404,103.79")
    rows = await shop.get(f"tracking-statuses?order={order['id']}&sort=created_at")
    assert [row["code"] for row in rows] == [
        "created", "dispatched", "started", "enroute", "completed",
    ]  # fmt: skip
    assert rows[0]["address"].startswith("1 Raffles Place")
    assert rows[3]["location"]["coordinates"] == [103.8, 1.3]
    assert (rows[4]["address"], rows[4]["location"]["coordinates"]) == (
        "80 Mandai Lake Road, Singapore",
        [103.79, 1.404],
    )
    assert [row["complete"] for row in rows] == [False] * 4 + [True]
    assert len(await shop.told("tracking_status.created")) == 5


async def test_a_number_tells_the_story_of_what_it_belongs_to(shop: Shop) -> None:
    order = await shop.started(
        waypoints=[RAFFLES, MANDAI, CHANGI], entities=[{"name": "Box", "destination": 1}]
    )
    for _ in range(2):
        await shop.fire(order, "enroute")
        await shop.fire(order, "completed")
    first, second, third = (stop["tracking_number"] for stop in order["payload"]["waypoints"])
    box = order["payload"]["entities"][0]["tracking_number"]

    async def story(number: str) -> list[str]:
        shown = await shop.get(f"tracking-numbers/{number}")
        return [status["code"] for status in shown["statuses"]]

    head = ["created", "dispatched", "started"]
    assert await story(first) == [*head, "enroute", "completed"]
    assert await story(second) == [*head, "enroute", "completed"]
    assert await story(third) == head
    assert await story(box) == [*head, "enroute", "completed"]
    whole = order["tracking_number"]["tracking_number"]
    assert await story(whole) == [*head, *["enroute", "completed"] * 2]
    assert (await shop.get(f"tracking-numbers/{third}"))["status_code"] == "started"


async def test_a_number_is_found_however_it_is_typed(shop: Shop, market: Shop) -> None:
    order = await shop.order()
    number = order["tracking_number"]
    typed = number["tracking_number"].lower().replace("-", " ")
    for name in (number["id"], number["uuid"], number["tracking_number"], typed):
        assert (await shop.get(f"tracking-numbers/{name}"))["id"] == number["id"]
        refused(await market.firm.api.get(f"/v1/tracking-numbers/{name}"), 404, "not_found")
    found = await shop.post("tracking-numbers/from-qr", code=number["tracking_number"])
    assert found["subject"] == order["id"]


@pytest.mark.parametrize("kind", ["qr", "barcode"])
async def test_a_label_is_read_back_by_a_scanner(shop: Shop, acme: Firm, kind: str) -> None:
    order = await shop.order()
    number = order["tracking_number"]["tracking_number"]
    png = await acme.api.get(f"/v1/tracking-numbers/{number}/{kind}.png")
    assert png.headers["content-type"] == "image/png"
    [read] = zxingcpp.read_barcodes(Image.open(BytesIO(png.content)).convert("L"))
    assert read.text == number
    svg = await acme.api.get(f"/v1/tracking-numbers/{number}/{kind}.svg")
    assert svg.headers["content-type"].startswith("image/svg+xml")
    assert ET.fromstring(svg.text).tag.endswith("svg")  # noqa: S314 - our own picture
    shown = await shop.get(f"tracking-numbers/{number}")
    inline = shown["qr_code" if kind == "qr" else "barcode"]
    assert base64.b64decode(inline) == png.content


async def test_somebody_writes_down_what_happened_outside_the_flow(shop: Shop) -> None:
    order = await shop.order()
    made = await shop.post(
        "tracking-statuses", order=order["id"], code="customs", status="At customs",
        location="1.3,103.8",
    )  # fmt: skip
    assert (made["manual"], made["order"]) == (True, order["id"])
    event = (await shop.told("tracking_status.created"))[-1]
    assert event["data"]["code"] == "customs"
    number = order["tracking_number"]["tracking_number"]
    shown = await shop.get(f"tracking-numbers/{number}")
    assert (shown["status"], shown["status_code"]) == ("At customs", "customs")
    changed = await shop.patch(f"tracking-statuses/{made['id']}", details="Box 4.")
    assert changed["details"] == "Box 4."


async def test_what_the_flow_wrote_down_stays_as_it_is(shop: Shop, acme: Firm) -> None:
    order = await shop.order()
    [row] = await shop.get(f"tracking-statuses?order={order['id']}")
    address = f"/v1/tracking-statuses/{row['id']}"
    refused(await acme.api.patch(address, json={"status": "Lost"}), 409, "status_kept")
    refused(await acme.api.delete(address), 409, "status_kept")


async def test_a_code_ends_with_its_text(shop: Shop, acme: Firm) -> None:
    body = {"order": (await shop.order())["id"], "code": "customs\n", "status": "Cleared"}
    answer = await acme.api.post("/v1/tracking-statuses", json=body)
    refused(answer, 422, "validation_failed")
    message = "must be letters, digits and underscores, such as customs_cleared."
    assert answer.json()["fields"] == [{"path": "code", "message": message}]


async def test_a_status_is_about_something(shop: Shop, acme: Firm) -> None:
    body = {"code": "customs", "status": "At customs"}
    assert paths(await acme.api.post("/v1/tracking-statuses", json=body)) == ["tracking"]
    order = await shop.order()
    number = order["tracking_number"]["tracking_number"]
    made = await shop.post("tracking-statuses", **body, tracking_number=number)
    assert (await acme.api.delete(f"/v1/tracking-statuses/{made['id']}")).status_code == 200


async def test_the_tracker_tells_where_it_is_and_when_it_arrives(shop: Shop) -> None:
    order = await shop.ready()
    driver = order["driver_assigned"]["id"]
    shown = await shop.get(f"orders/{order['id']}/tracker")
    assert (shown["progress"], shown["eta"], shown["position"]) == (0, None, None)
    await shop.act(order, "start", skip_dispatch=True)
    await shop.post(f"drivers/{driver}/track", latitude=1.284, longitude=103.851, speed=8)
    shown = await shop.get(f"orders/{order['id']}/tracker")
    assert shown["position"]["coordinates"] == [103.851, 1.284]
    assert shown["progress"] == 50
    assert shown["distance_remaining"] == pytest.approx(order["distance"], abs=2)
    assert shown["time_remaining"] == pytest.approx(order["time"], abs=2)
    assert shown["eta"] > "2026-01-15T12:15"
    assert [stop["complete"] for stop in shown["stops"]] == [False, False]
    await shop.fire(order, "enroute")
    shown = await shop.get(f"orders/{order['id']}/tracker")
    assert [stop["complete"] for stop in shown["stops"]] == [True, False]
    await shop.act(order, "complete")
    shown = await shop.get(f"orders/{order['id']}/tracker")
    assert (shown["progress"], shown["eta"]) == (100, None)


async def test_the_tracker_counts_the_time_that_stops_take(shop: Shop) -> None:
    stops = [{"place": RAFFLES, "service_time": 600}, {"place": MANDAI}]
    order = await shop.started(waypoints=stops)
    driver = order["driver_assigned"]["id"]
    await shop.post(f"drivers/{driver}/track", latitude=1.284, longitude=103.851)
    shown = await shop.get(f"orders/{order['id']}/tracker")
    assert (shown["completed_stops"], shown["total_stops"]) == (0, 2)
    assert shown["time_remaining"] == pytest.approx(order["time"] + 600, abs=2)
