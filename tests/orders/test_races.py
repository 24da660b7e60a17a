"""Two at once: one wins, the other is told clearly, and what happened is told once."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from random import Random
from typing import Any, Final
from uuid import UUID

import httpx
import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES, Shop
from pannier.orders import sweep
from probe import refused
from rates.counter import rate
from stage import Firm, House

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

TURNS: Final = 2
STOPS: Final = [{"place": place} for place in (RAFFLES, MANDAI, CHANGI)]
HEARD: Final = (
    "order.created", "order.dispatched", "order.started", "order.completed", "order.cancelled",
    "order.updated", "tracking_status.created",
)  # fmt: skip
WAITING: Final = """select count(*) from pg_stat_activity
                    where datname = current_database() and wait_event_type = 'Lock'"""
DEADLOCKS: Final = "select deadlocks from pg_stat_database where datname = current_database()"

Attempt = Coroutine[Any, Any, Any]
Order = dict[str, Any]
# Lets several attempts at an order, a payload or a transaction go at once.
Rush = Callable[..., Awaitable[list[Any]]]


@pytest.fixture(params=["free", "held"])
def rush(request: pytest.FixtureRequest, house: House) -> Rush:
    """As the connections come, or from a line at which everybody waits for the same row."""

    async def free(_row: Order, *attempts: Attempt) -> list[Any]:
        return await asyncio.gather(*attempts)

    async def held(row: Order, *attempts: Attempt) -> list[Any]:
        table = f"{row['id'].partition('_')[0]}s"
        async with house.database.transaction() as db:
            uuid = UUID(row["uuid"])
            await db.fetch_value(f"select 1 from {table} where uuid = :uuid for update", uuid=uuid)
            tasks = [asyncio.ensure_future(attempt) for attempt in attempts]
            # The others wait until a company's requests in progress are fewer.
            places = house.edge.settings.pool_size // 2
            while await house.value(WAITING) < min(places, sum(not task.done() for task in tasks)):
                pass
        return await asyncio.gather(*tasks)

    return held if request.param == "held" else free


async def happened(shop: Shop, order: Order) -> Counter[str]:
    """Count what was told of an order, its activities by their codes."""
    found: Counter[str] = Counter()
    for event in await shop.told(*HEARD):
        name, data = event["event"], event["data"]
        if name == "tracking_status.created" and data["order"] == order["id"]:
            found[data["code"]] += 1
        elif data["id"] == order["id"]:
            found[name] += 1
    return found


def winner(
    answers: list[httpx.Response], status: int = 409, code: str = "illegal_move"
) -> dict[str, Any]:
    """See that one succeeded and all others got this refusal; answer what the one got."""
    won = [answer for answer in answers if answer.is_success]
    assert len(won) == 1, [answer.text for answer in answers]
    for answer in answers:
        if answer not in won:
            refused(answer, status, code)
    got: dict[str, Any] = won[0].json()
    return got


@pytest.mark.parametrize("many", [2, 8])
async def test_an_order_is_dispatched_by_one_of_several(shop: Shop, rush: Rush, many: int) -> None:
    for _ in range(TURNS):
        order = await shop.ready()
        winner(await rush(order, *(shop.attempt(order, "dispatch") for _ in range(many))))
        told = await happened(shop, order)
        assert (told["order.dispatched"], told["dispatched"]) == (1, 1)


async def test_an_order_is_started_by_one_of_two(shop: Shop, rush: Rush) -> None:
    for _ in range(TURNS):
        order = await shop.ready(dispatch=True)
        winner(await rush(order, *(shop.attempt(order, "start") for _ in range(2))))
        told = await happened(shop, order)
        assert (told["order.started"], told["started"]) == (1, 1)


async def test_a_dispatch_that_is_skipped_happens_once_too(shop: Shop, rush: Rush) -> None:
    for _ in range(TURNS):
        order = await shop.ready()
        body = {"skip_dispatch": True}
        winner(await rush(order, *(shop.attempt(order, "start", **body) for _ in range(3))))
        told = await happened(shop, order)
        assert (told["order.dispatched"], told["order.started"]) == (1, 1)


async def test_an_order_is_completed_by_one_of_two(shop: Shop, rush: Rush) -> None:
    for _ in range(TURNS):
        order = await shop.started()
        await shop.fire(order, "enroute")
        winner(await rush(order, *(shop.attempt(order, "complete") for _ in range(2))))
        told = await happened(shop, order)
        assert (told["order.completed"], told["completed"]) == (1, 1)


@pytest.mark.parametrize("first", ["cancel", "complete"])
async def test_an_order_is_either_cancelled_or_completed(
    shop: Shop, rush: Rush, first: str
) -> None:
    for _ in range(TURNS):
        order = await shop.started()
        await shop.fire(order, "enroute")
        actions = sorted(["cancel", "complete"], key=lambda action: action != first)
        won = winner(await rush(order, *(shop.attempt(order, action) for action in actions)))
        told = await happened(shop, order)
        assert told["order.cancelled"] + told["order.completed"] == 1
        assert told["canceled"] + told["completed"] == 1
        ended = "order.cancelled" if won["status"] == "canceled" else "order.completed"
        assert told[ended] == 1
        assert await shop.get(f"orders/{order['id']}") == won


async def test_of_two_ways_on_one_is_gone(shop: Shop, rush: Rush) -> None:
    ways = [{"code": code, "next": ["done"]} for code in ("by_sea", "by_air")]
    await shop.config(*ways, {"code": "done", "complete": True}, key="either")
    for codes in (("by_sea", "by_air"), ("by_air", "by_sea")):
        order = await shop.started(type="either")
        attempts = (shop.attempt(order, "update-activity", activity=code) for code in codes)
        won = winner(await rush(order, *attempts))
        told = await happened(shop, order)
        assert won["status"] in codes
        assert (told["order.updated"], told["by_sea"] + told["by_air"]) == (1, 1)
        assert told[won["status"]] == 1


async def test_a_driver_is_assigned_before_the_order_is_cancelled_or_not_at_all(
    shop: Shop, rush: Rush
) -> None:
    driver = (await shop.driver())["id"]
    for turn in range(2 * TURNS):
        order = await shop.order()
        attempts = [
            shop.attempt(order, "assign-driver", driver=driver), shop.attempt(order, "cancel"),
        ]  # fmt: skip
        assigned, cancelled = await in_turn(rush, turn, order, attempts)
        assert cancelled.status_code == 200, cancelled.text
        if not assigned.is_success:
            refused(assigned, 409, "illegal_move")
        shown = await shop.get(f"orders/{order['id']}")
        assert (shown["driver_assigned"] is not None) == assigned.is_success
        told = await happened(shop, order)
        assert (told["order.cancelled"], told["order.updated"]) == (1, int(assigned.is_success))


async def in_turn(rush: Rush, turn: int, row: Order, attempts: list[Attempt]) -> list[Any]:
    """Let every second time the last go first; the answers stand as the attempts do."""
    way = -1 if turn % 2 else 1
    return (await rush(row, *attempts[::way]))[::way]


async def test_a_payload_goes_to_one_order(shop: Shop, rush: Rush, acme: Firm) -> None:
    for _ in range(TURNS):
        payload = await shop.post("payloads", pickup=RAFFLES, dropoff=MANDAI)
        body = {"payload": payload["id"]}
        attempts = (acme.api.post("/v1/orders", json=body) for _ in range(4))
        won = winner(await rush(payload, *attempts), 409, "payload_taken")
        assert (await shop.get(f"payloads/{payload['id']}"))["order"] == won["id"]
        assert (await happened(shop, won))["order.created"] == 1
    assert len(await shop.told("order.created")) == TURNS


async def test_a_price_that_was_accepted_for_no_order_yet_goes_to_one(
    shop: Shop, rush: Rush, acme: Firm
) -> None:
    await rate(acme)
    way = {"pickup": "1.284,103.851", "dropoff": "1.404,103.79"}
    for _ in range(TURNS):
        signed = (await acme.api.get("/v1/service-quotes", params=way)).json()[0]
        owed = await shop.post(f"service-quotes/{signed['id']}/accept")
        path = f"/v1/service-quotes/{owed['service_quote']}/accept"
        orders = [await shop.order() for _ in range(2)]
        attempts = (acme.api.post(path, json={"order": order["id"]}) for order in orders)
        won = winner(await rush(owed, *attempts), 409, "quote_already_accepted")
        shown = [await shop.get(f"orders/{order['id']}") for order in orders]
        paid_by = {order["id"]: order["transaction"] for order in shown}
        assert sorted(paid_by.values(), key=str) == [None, owed["id"]]
        assert paid_by[won["order"]] == owed["id"]


async def test_a_payload_is_ordered_or_deleted(shop: Shop, rush: Rush, acme: Firm) -> None:
    for turn in range(2 * TURNS):
        payload = await shop.post("payloads", pickup=RAFFLES, dropoff=MANDAI)
        attempts = [
            acme.api.post("/v1/orders", json={"payload": payload["id"]}),
            acme.api.delete(f"/v1/payloads/{payload['id']}"),
        ]
        ordered, deleted = await in_turn(rush, turn, payload, attempts)
        if ordered.is_success:
            refused(deleted, 409, "payload_ordered")
            assert ordered.json()["payload"]["id"] == payload["id"]
        else:
            refused(ordered, 404, "not_found")
            assert deleted.status_code == 200, deleted.text


async def test_a_stop_is_taken_out_before_the_journey_begins_or_not_at_all(
    shop: Shop, rush: Rush, acme: Firm
) -> None:
    for turn in range(2 * TURNS):
        order = await shop.ready(waypoints=STOPS)
        first = order["payload"]["waypoints"][0]["id"]
        attempts = [
            acme.api.delete(f"/v1/waypoints/{first}"),
            shop.attempt(order, "start", skip_dispatch=True),
        ]
        deleted, started = await in_turn(rush, turn, order["payload"], attempts)
        assert started.status_code == 200, started.text
        if not deleted.is_success:
            refused(deleted, 409, "payload_begun")
        shown = await shop.get(f"orders/{order['id']}")
        stops = [stop["id"] for stop in shown["payload"]["waypoints"]]
        assert (first in stops) != deleted.is_success
        assert shown["current_waypoint"] == stops[0]
        grown = shown["payload"]["version"] - order["payload"]["version"]
        assert grown == 1 + deleted.is_success, "neither change was written over"
        for _ in stops:
            await shop.fire(order, "enroute")
            shown = await shop.fire(order, "completed")
        assert shown["status"] == "completed"


async def test_what_is_due_is_dispatched_once_by_whoever_comes_first(
    shop: Shop, rush: Rush, house: House
) -> None:
    for turn in range(2 * TURNS):
        order = await shop.ready(scheduled_at="2026-01-15T12:00:00Z")
        attempts: list[Attempt] = [sweep.step(house.database) for _ in range(3)]
        attempts.append(shop.attempt(order, "dispatch"))
        *swept, by_hand = await in_turn(rush, turn, order, attempts)
        if not by_hand.is_success:
            refused(by_hand, 409, "illegal_move")
        assert sum(swept) + by_hand.is_success == 1
        told = await happened(shop, order)
        assert (told["order.dispatched"], told["dispatched"]) == (1, 1)


async def test_several_sweeps_share_what_is_due(shop: Shop, house: House) -> None:
    orders = [await shop.ready(scheduled_at="2026-01-15T12:00:00Z") for _ in range(5)]
    swept = await asyncio.gather(*(sweep.step(house.database) for _ in range(8)))
    assert sum(swept) == len(orders)
    for order in orders:
        assert (await happened(shop, order))["order.dispatched"] == 1


async def test_what_was_read_once_is_changed_once(shop: Shop, rush: Rush, acme: Firm) -> None:
    for _ in range(TURNS):
        order = await shop.order()
        path, headers = f"/v1/orders/{order['id']}", {"If-Match": f'"{order["version"]}"'}
        attempts = (
            acme.api.patch(path, json={"notes": notes}, headers=headers)
            for notes in ("Ring once.", "Ring twice.")
        )
        won = winner(await rush(order, *attempts), 412, "precondition_failed")
        assert (await happened(shop, order))["order.updated"] == 1
        assert await shop.get(f"orders/{order['id']}") == won


async def test_two_changes_of_different_fields_both_last(shop: Shop, rush: Rush) -> None:
    for turn in range(TURNS):
        order, number = await shop.order(), f"A-{turn}"
        path = f"orders/{order['id']}"
        await rush(
            order, shop.patch(path, notes="Ring twice."), shop.patch(path, internal_id=number)
        )
        shown = await shop.get(path)
        assert (shown["notes"], shown["internal_id"]) == ("Ring twice.", number)
        assert shown["version"] == order["version"] + 2
        assert (await happened(shop, order))["order.updated"] == 2


async def test_two_doors_change_the_parts_of_one_order_and_every_change_counts(
    shop: Shop, acme: Firm, house: House
) -> None:
    order = await shop.order(waypoints=STOPS, entities=[{"name": "Box"}])
    _, second, _ = order["payload"]["waypoints"]
    locked = await house.value(DEADLOCKS)
    doors: list[tuple[str, Any]] = [
        (f"waypoints/{second['id']}", lambda n: {"place": MANDAI if n % 2 else RAFFLES}),
        (f"entities/{order['payload']['entities'][0]['id']}", lambda n: {"weight": n}),
        (f"payloads/{order['payload']['id']}", lambda n: {"meta": {"n": n}}),
        (f"orders/{order['id']}", lambda n: {"notes": f"{n}", "meta": {"n": n}}),
    ]
    answers = await asyncio.gather(
        *(
            acme.api.patch(f"/v1/{path}", json=body(number))
            for number in range(1, 7)
            for path, body in doors
        )
    )
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    shown = await shop.get(f"orders/{order['id']}")
    assert shown["version"] == order["version"] + len(answers), "every change counts"
    assert (await happened(shop, order))["order.updated"] == len(answers), "and is told once"
    way = await shop.get(f"orders/{order['id']}/distance-and-time")
    assert (shown["distance"], shown["time"]) == (way["distance"], way["time"])
    assert await house.value(DEADLOCKS) == locked


async def test_a_part_changes_while_its_order_is_driven(
    shop: Shop, rush: Rush, acme: Firm, house: House
) -> None:
    locked = await house.value(DEADLOCKS)
    for turn in range(2 * TURNS):
        order = await shop.ready(waypoints=STOPS, entities=[{"name": "Box"}])
        last = order["payload"]["waypoints"][-1]["id"]
        item = order["payload"]["entities"][0]["id"]
        attempts = [
            acme.api.patch(f"/v1/waypoints/{last}", json={"place": RAFFLES}),
            acme.api.patch(f"/v1/entities/{item}", json={"name": "Crate"}),
            shop.attempt(order, "start", skip_dispatch=True),
        ]
        answers = await in_turn(rush, turn, order, attempts)
        assert [answer.status_code for answer in answers] == [200] * 3
        shown = await shop.get(f"orders/{order['id']}")
        # Two changes, and a start that was a dispatch as well.
        assert shown["version"] == order["version"] + 4
        told = await happened(shop, order)
        assert (told["order.updated"], told["order.started"]) == (2, 1)
        way = await shop.get(f"orders/{order['id']}/distance-and-time")
        assert shown["distance"] == way["distance"]
    assert await house.value(DEADLOCKS) == locked


async def test_items_that_change_places_between_orders_wait_for_nobody(
    shop: Shop, acme: Firm, house: House
) -> None:
    locked = await house.value(DEADLOCKS)
    one, two = [await shop.order(waypoints=STOPS, entities=[{"name": "Box"}]) for _ in range(2)]
    (first,), (second,) = (order["payload"]["entities"] for order in (one, two))
    for here, there in ((one, two), (two, one)) * TURNS:
        answers = await asyncio.gather(
            acme.api.patch(f"/v1/entities/{first['id']}", json={"payload": there["payload"]["id"]}),
            acme.api.patch(f"/v1/entities/{second['id']}", json={"payload": here["payload"]["id"]}),
            acme.api.patch(f"/v1/orders/{one['id']}", json={"notes": there["id"]}),
        )
        assert [answer.status_code for answer in answers] == [200] * 3
    for order, item in ((one, first), (two, second)):
        shown = await shop.get(f"orders/{order['id']}")
        assert [each["id"] for each in shown["payload"]["entities"]] == [item["id"]]
        assert shown["version"] == order["version"] + 4 * TURNS + (2 * TURNS) * (order is one)
    assert await house.value(DEADLOCKS) == locked


async def test_a_payload_that_is_ordered_meanwhile_is_changed_with_its_order(
    shop: Shop, rush: Rush, acme: Firm
) -> None:
    for turn in range(2 * TURNS):
        payload = await shop.post("payloads", waypoints=STOPS)
        attempts = [
            acme.api.post("/v1/orders", json={"payload": payload["id"]}),
            acme.api.post("/v1/waypoints", json={"payload": payload["id"], "place": RAFFLES}),
        ]
        ordered, added = await in_turn(rush, turn, payload, attempts)
        assert (ordered.status_code, added.status_code) == (201, 201), added.text
        order = await shop.get(f"orders/{ordered.json()['id']}")
        assert len(order["payload"]["waypoints"]) == 4
        assert all(stop["tracking_number"] for stop in order["payload"]["waypoints"])
        way = await shop.get(f"orders/{order['id']}/distance-and-time")
        assert order["distance"] == way["distance"]
        grown = len(ordered.json()["payload"]["waypoints"]) == 3
        assert order["version"] == ordered.json()["version"] + grown


@pytest.mark.parametrize("seed", range(3))
async def test_in_a_storm_on_one_order_nobody_waits_for_ever(
    shop: Shop, acme: Firm, house: House, seed: int
) -> None:
    van = await shop.vehicle()
    driver, other = await shop.driver(vehicle=van["id"]), await shop.driver()
    order = await shop.order(waypoints=STOPS, driver=driver["id"])
    locked = await house.value(DEADLOCKS)
    storm = touching(order, driver, other) * 3
    Random(seed).shuffle(storm)
    answers = await asyncio.gather(
        *(acme.api.request(method, f"/v1/{path}", json=body) for method, path, body in storm)
    )
    for answer in answers:
        assert answer.status_code in {200, 201, 404, 409}, answer.text
    shown = await shop.get(f"orders/{order['id']}")
    told = await happened(shop, order)
    assert told["order.started"] == 1
    for name in ("dispatched", "started", "completed"):
        assert told[f"order.{name}"] == (shown[f"{name}_at"] is not None)
    assert await house.value(DEADLOCKS) == locked


def touching(order: Order, driver: Order, other: Order) -> list[tuple[str, str, Any]]:
    """Name all that touches an order, its payload or its driver."""
    path, payload = f"orders/{order['id']}", order["payload"]["id"]
    first, second, third = (stop["id"] for stop in order["payload"]["waypoints"])
    here = {"latitude": 1.3, "longitude": 103.8}
    return [
        ("POST", f"{path}/dispatch", {}),
        ("POST", f"{path}/start", {"skip_dispatch": True}),
        ("POST", f"{path}/update-activity", {"activity": "enroute"}),
        ("POST", f"{path}/update-activity", {"activity": "completed"}),
        ("POST", f"{path}/set-destination/{third}", None),
        ("POST", f"{path}/assign-driver", {"driver": other["id"]}),
        ("PATCH", path, {"notes": "Ring twice."}),
        ("PATCH", path, {"waypoints": [{"id": first}, {"id": third}, {"id": second}]}),
        ("PATCH", path, {"driver": driver["id"], "meta": {"shift": "am"}}),
        ("PATCH", f"payloads/{payload}", {"meta": {"fragile": True}}),
        ("PATCH", f"waypoints/{second}", {"notes": "Ground floor."}),
        ("DELETE", f"waypoints/{third}", None),
        ("POST", "waypoints", {"payload": payload, "place": CHANGI}),
        ("POST", "entities", {"payload": payload, "name": "Box", "destination": first}),
        ("POST", "tracking-statuses", {"order": order["id"], "code": "seen", "status": "Seen"}),
        ("POST", f"drivers/{driver['id']}/track", here),
        ("GET", path, None),
        ("GET", f"{path}/tracker", None),
    ]
