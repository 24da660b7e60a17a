"""Attempts that fail: the stop is tried again, held for a decision, or its goods go back."""

import asyncio
from typing import Any

import pytest

from orders.shop import CHANGI, MANDAI, RAFFLES, Phone, Shop
from probe import paths, refused
from proofs import drawn
from stage import House

STOPS = [{"place": RAFFLES, "type": "pickup"}, {"place": MANDAI}, {"place": CHANGI}]


async def fail(shop: Shop, order: dict[str, Any], **more: Any) -> dict[str, Any]:
    return await shop.act(order, "fail-attempt", **{"reason": "nobody_home", **more})


async def attempts(shop: Shop, order: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = await shop.get(f"orders/{order['id']}/attempts")
    return found


async def told(shop: Shop, name: str = "order.updated") -> dict[str, Any]:
    data: dict[str, Any] = (await shop.told(name))[-1]["data"]
    return data


async def test_an_attempt_that_is_tried_again_begins_anew(shop: Shop) -> None:
    order = await shop.started()
    await shop.fire(order, "enroute")
    failed = await fail(shop, order, remarks="The dog barked.", location="1.4,103.8")
    assert (failed["status"], failed["attempts"], failed["undelivered"]) == ("started", 1, None)
    assert await shop.upcoming(order) == ["enroute"]
    [attempt] = await attempts(shop, order)
    assert (attempt["reason"], attempt["label"], attempt["then"], attempt["number"]) == (
        "nobody_home", "Recipient not available", "retry", 1,
    )  # fmt: skip
    assert (attempt["remarks"], attempt["waypoint"]) == ("The dog barked.", None)
    assert attempt["location"]["coordinates"] == [103.8, 1.4]
    data = await told(shop)
    assert (data["changed"], data["attempt"]["id"]) == (["status", "attempts"], attempt["id"])
    status = await told(shop, "tracking_status.created")
    assert (status["code"], status["status"]) == ("failed", "Recipient not available")
    assert "dog" not in str(status)
    for code in ("enroute", "completed"):
        order = await shop.fire(order, code)
    assert (order["status"], order["attempts"]) == ("completed", 1)


async def test_the_driver_goes_on_to_the_stop_after_and_comes_back(shop: Shop) -> None:
    order = await shop.started(waypoints=STOPS)
    first, second, third = [stop["id"] for stop in order["payload"]["waypoints"]]
    for code in ("enroute", "completed", "enroute"):
        await shop.fire(order, code)
    failed = await fail(shop, order)
    assert failed["current_waypoint"] == third
    stop = failed["payload"]["waypoints"][1]
    assert (stop["status_code"], stop["attempts"], stop["complete"]) == (None, 1, False)
    assert (await told(shop))["attempt"]["waypoint"] == second
    for code in ("enroute", "completed"):
        order = await shop.fire(order, code)
    assert (order["status"], order["current_waypoint"]) == ("started", second)
    again = await fail(shop, order)
    assert (again["current_waypoint"], again["attempts"]) == (second, 2)
    assert [row["number"] for row in await attempts(shop, order)] == [2, 1]
    for code in ("enroute", "completed"):
        order = await shop.fire(order, code)
    assert order["status"] == "completed"
    assert first == order["payload"]["waypoints"][0]["id"]


async def test_what_is_held_waits_until_somebody_decides(shop: Shop) -> None:
    order = await shop.started()
    held = await fail(shop, order, reason="wrong_address")
    assert held["undelivered"] == "hold"
    assert await shop.upcoming(order) == []
    for action, body in (
        ("update-activity", {"activity": "enroute"}), ("complete", {}),
        ("fail-attempt", {"reason": "refused"}),
    ):  # fmt: skip
        refused(await shop.attempt(order, action, **body), 409, "illegal_move")
    resumed = await shop.act(order, "resume-attempt", then="retry")
    assert resumed["undelivered"] is None
    [attempt] = await attempts(shop, order)
    assert (attempt["then"], attempt["decided_at"] is not None) == ("retry", True)
    assert (await told(shop))["changed"] == ["undelivered"]
    assert await shop.upcoming(order) == ["enroute", "arrived_at_pickup"]
    refused(await shop.attempt(order, "resume-attempt", then="retry"), 409, "illegal_move")


async def test_a_held_stop_keeps_the_others_from_nothing(shop: Shop) -> None:
    order = await shop.started(waypoints=STOPS)
    _, second, third = [stop["id"] for stop in order["payload"]["waypoints"]]
    for code in ("enroute", "completed"):
        await shop.fire(order, code)
    order = await fail(shop, order, reason="other")
    assert (order["undelivered"], order["current_waypoint"]) == ("hold", third)
    refused(await shop.attempt(order, f"set-destination/{second}"), 409, "illegal_move")
    refused(await shop.attempt(order, "complete"), 409, "illegal_move")
    for code in ("enroute", "completed"):
        order = await shop.fire(order, code)
    assert (order["status"], await shop.upcoming(order)) == ("started", [])
    order = await shop.act(order, "resume-attempt", then="retry")
    assert (order["current_waypoint"], order["undelivered"]) == (second, None)
    for code in ("enroute", "completed"):
        order = await shop.fire(order, code)
    assert order["status"] == "completed"


async def test_an_order_is_over_when_what_was_refused_is_back(shop: Shop) -> None:
    order = await shop.started(waypoints=STOPS)
    for code in ("enroute", "completed"):
        await shop.fire(order, code)
    order = await fail(shop, order, reason="refused")
    stop = order["payload"]["waypoints"][1]
    assert (stop["undelivered"], stop["complete"]) == ("return", False)
    for code in ("enroute", "completed"):
        order = await shop.fire(order, code)
    assert (order["status"], order["undelivered"]) == ("started", "return")
    assert await shop.upcoming(order) == ["returned"]
    ahead = await shop.get(f"orders/{order['id']}/flow")
    assert (ahead["next"], ahead["undelivered"]) == (["returned"], "return")
    assert ahead["activities"][-1]["code"] == "returned"
    assert ahead["failure_reasons"][0]["code"] == "nobody_home"
    order = await shop.fire(order, "returned")
    assert (order["status"], order["completed_at"] is not None) == ("completed", True)
    assert (await told(shop, "order.completed"))["undelivered"] == "return"
    refused(await shop.attempt(order, "fail-attempt", reason="other"), 409, "illegal_move")


@pytest.mark.parametrize("waypoints", [None, STOPS[:2]])
async def test_an_order_of_which_nothing_was_delivered_is_cancelled_when_it_is_back(
    shop: Shop, waypoints: Any
) -> None:
    order = await shop.started(**({"waypoints": waypoints} if waypoints else {}))
    for code in ("enroute", "completed") if waypoints else ():
        await shop.fire(order, code)
    await fail(shop, order, reason="refused")
    assert await shop.upcoming(order) == ["returned"]
    ended = await shop.act(order, "complete")
    assert (ended["status"], ended["completed_at"]) == ("canceled", None)
    assert ended["cancel_reason"] == "Nothing was delivered, and the goods were returned."
    assert (await told(shop, "order.cancelled"))["undelivered"] == "return"
    status = await told(shop, "tracking_status.created")
    assert (status["code"], status["complete"]) == ("returned", False)
    assert "Raffles" in status["address"]
    assert await shop.upcoming(order) == []


async def test_what_goes_back_can_be_tried_again_instead(shop: Shop) -> None:
    order = await shop.started()
    await shop.fire(order, "enroute")
    await fail(shop, order, reason="refused")
    order = await shop.act(order, "resume-attempt", then="retry")
    assert (order["undelivered"], await shop.upcoming(order)) == (None, ["enroute"])


async def test_of_several_stops_that_wait_one_is_named(shop: Shop) -> None:
    order = await shop.started(waypoints=STOPS)
    for _ in range(2):
        order = await fail(shop, order, reason="other")
    answer = await shop.attempt(order, "resume-attempt", then="return")
    assert paths(answer) == ["waypoint"]
    first, second, _ = [stop["id"] for stop in order["payload"]["waypoints"]]
    order = await shop.act(order, "resume-attempt", then="return", waypoint=first)
    assert [stop["undelivered"] for stop in order["payload"]["waypoints"]] == [
        "return", "hold", None,
    ]  # fmt: skip
    order = await shop.act(order, "resume-attempt", then="retry", waypoint=second)
    assert order["undelivered"] == "return"


async def test_a_reason_may_need_a_photo_which_proves_nothing_else(shop: Shop) -> None:
    order = await shop.started(pod_required=True, pod_method="photo")
    await shop.fire(order, "enroute")
    answer = await shop.attempt(order, "fail-attempt", reason="damaged")
    problem = refused(answer, 422, "pod_required")
    assert problem["missing"] == [
        {"subject_type": "order", "subject_id": order["id"], "method": "photo"}
    ]
    assert (await shop.get(f"orders/{order['id']}"))["attempts"] == 0
    picture = drawn.text(drawn.photo())
    proof = await shop.post(f"orders/{order['id']}/capture-photo", photo=picture)
    failed = await fail(shop, order, reason="damaged", then="retry")
    assert failed["undelivered"] is None
    [attempt] = await attempts(shop, order)
    assert attempt["proofs"] == [proof["id"]]
    await shop.fire(order, "enroute")
    refused(await shop.attempt(order, "complete"), 422, "pod_required")


async def test_before_the_journey_and_after_the_end_nothing_can_fail(shop: Shop) -> None:
    order = await shop.ready()
    refused(await shop.attempt(order, "fail-attempt", reason="other"), 409, "illegal_move")
    await shop.act(order, "start", skip_dispatch=True)
    await shop.act(order, "cancel")
    refused(await shop.attempt(order, "fail-attempt", reason="other"), 409, "illegal_move")
    refused(await shop.attempt(order, "resume-attempt", then="retry"), 409, "illegal_move")
    assert await attempts(shop, order) == []


async def test_reasons_are_the_configurations_as_the_order_began(shop: Shop) -> None:
    written = [{"code": "rain", "label": "It rained", "then": "return"}]
    config = await shop.config({"code": "done", "complete": True}, failure_reasons=written)
    assert config["failure_reasons"] == [{**written[0], "photo": False}]
    order = await shop.started(order_config=config["id"])
    changed = await shop.patch(f"order-configs/{config['id']}", failure_reasons=[])
    assert changed["flow_version"] == 2
    assert [reason["code"] for reason in changed["failure_reasons"]][:2] == [
        "nobody_home", "no_access",
    ]  # fmt: skip
    answer = await shop.attempt(order, "fail-attempt", reason="nobody_home")
    [field] = refused(answer, 422, "validation_failed")["fields"]
    assert (field["path"], "rain" in field["message"]) == ("reason", True)
    assert (await fail(shop, order, reason="rain"))["undelivered"] == "return"


@pytest.mark.parametrize(
    ("code", "path"), [("rain", "failure_reasons[1]"), ("snow\n", "failure_reasons[1].code")]
)
async def test_a_reason_stands_once_by_a_code(shop: Shop, code: str, path: str) -> None:
    both = [{"code": "rain", "label": "It rained"}, {"code": code, "label": "It snowed"}]
    body = {"name": "X", "flow": [{"code": "done", "complete": True}], "failure_reasons": both}
    answer = await shop.firm.api.post("/v1/order-configs", json=body)
    assert paths(answer) == [path]


async def test_a_driver_gives_up_but_does_not_decide(shop: Shop, phone: Phone) -> None:
    ada = await shop.driver()
    client = await phone(ada)
    order = await shop.order(driver=ada["id"], dispatch=True)
    address = f"/v1/orders/{order['id']}"
    assert (await client.post(f"{address}/start")).status_code == 200
    body = {"reason": "other", "then": "retry"}
    refused(await client.post(f"{address}/fail-attempt", json=body), 422, "validation_failed")
    answer = await client.post(f"{address}/fail-attempt", json={"reason": "other"})
    assert (answer.status_code, answer.json()["undelivered"]) == (200, "hold")
    answer = await client.post(f"{address}/resume-attempt", json={"then": "retry"})
    assert answer.status_code == 401
    [attempt] = (await client.get(f"{address}/attempts")).json()
    assert attempt["actor"] == {"kind": "driver", "id": ada["id"], "name": ada["name"]}
    other = await phone(await shop.driver(name="Grace"))
    refused(await other.get(f"{address}/attempts"), 404, "not_found")
    refused(await other.post(f"{address}/fail-attempt", json={"reason": "other"}), 404, "not_found")


@pytest.mark.parametrize(
    ("said", "kept", "skew"),
    [
        ("2026-01-15T11:59:00Z", "2026-01-15T12:00:00.000Z", -60),
        ("2026-01-15T12:20:00Z", "2026-01-15T12:20:00.000Z", None),
        ("2026-01-15T13:00:00Z", "2026-01-15T12:30:00.000Z", 1800),
    ],
)
async def test_an_attempt_happened_when_the_device_says_within_reason(
    shop: Shop, house: House, said: str, kept: str, skew: int | None
) -> None:
    order = await shop.started()
    house.clock.advance(minutes=30)
    await fail(shop, order, occurred_at=said)
    [attempt] = await attempts(shop, order)
    assert (attempt["occurred_at"], attempt["created_at"]) == (kept, "2026-01-15T12:30:00.000Z")
    assert attempt["clock_skew"] == skew
    assert (await told(shop, "tracking_status.created"))["occurred_at"] == kept


async def test_an_attempt_that_is_sent_twice_fails_once(shop: Shop) -> None:
    order = await shop.started()
    path, key = f"/v1/orders/{order['id']}/fail-attempt", {"Idempotency-Key": "attempt-1"}
    answers = [
        await shop.firm.api.post(path, json={"reason": "closed"}, headers=key) for _ in range(2)
    ]
    assert [answer.json()["attempts"] for answer in answers] == [1, 1]
    assert len(await attempts(shop, order)) == 1


async def test_of_giving_up_and_completing_at_once_one_wins(shop: Shop) -> None:
    for _ in range(3):
        order = await shop.started()
        await shop.fire(order, "enroute")
        answers = await asyncio.gather(
            shop.attempt(order, "fail-attempt", reason="closed"), shop.attempt(order, "complete")
        )
        assert sorted(answer.status_code for answer in answers) == [200, 409]
        after = await shop.get(f"orders/{order['id']}")
        assert (after["status"] == "completed") == (after["attempts"] == 0)


async def test_an_address_that_was_wrong_is_put_right_before_the_next_attempt(shop: Shop) -> None:
    order = await shop.started(waypoints=STOPS)
    for code in ("enroute", "completed", "enroute"):
        await shop.fire(order, code)
    order = await fail(shop, order, reason="wrong_address")
    stop = order["payload"]["waypoints"][1]["id"]
    await shop.patch(f"waypoints/{stop}", place=RAFFLES)
    order = await shop.act(order, "resume-attempt", then="retry")
    assert order["payload"]["waypoints"][1]["address"].startswith("1 Raffles Place")


async def test_what_is_held_needs_attention_until_somebody_decides(shop: Shop) -> None:
    order = await shop.started()
    await fail(shop, order, reason="other")
    assert [row["id"] for row in await shop.get("orders?attention=true")] == [order["id"]]
    await shop.act(order, "resume-attempt", then="return")
    assert await shop.get("orders?attention=true") == []
