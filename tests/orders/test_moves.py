"""Actions: what may happen to an order, in which order, and what is told of it."""

import pytest

from orders.shop import DELIVERED, Shop
from probe import refused
from stage import Firm


async def test_an_order_goes_from_created_to_completed(shop: Shop) -> None:
    order = await shop.ready()
    sent = await shop.act(order, "dispatch")
    begun = await shop.act(order, "start")
    moved = await shop.fire(order, "enroute")
    done = await shop.act(order, "complete")
    walked = [each["status"] for each in (order, sent, begun, moved, done)]
    assert walked == ["created", "dispatched", "started", "enroute", "completed"]
    assert done["completed_at"] == "2026-01-15T12:00:00.000Z"
    assert await shop.upcoming(order) == []


async def test_what_is_told_of_a_dispatch_is_what_the_contract_says(shop: Shop) -> None:
    order = await shop.ready()
    await shop.act(order, "dispatch")
    [event] = await shop.told("order.dispatched")
    assert event["api_version"] == "1.0"
    data = event["data"]
    assert list(data)[:5] == ["id", "public_id", "status", "driver_assigned", "payload"]
    assert (data["id"], data["public_id"]) == (order["id"], order["id"])
    assert data["status"] == "dispatched"
    assert data["driver_assigned"] == {"name": "Ada", "id": order["driver_assigned"]["id"]}
    assert data["payload"]["pickup"] == "1 Raffles Place, Singapore"
    assert data["payload"]["dropoff"] == "80 Mandai Lake Road, Singapore"


@pytest.mark.parametrize(
    ("action", "allowed"), [("start", ["dispatched"]), ("complete", ["dispatched"])]
)
async def test_an_illegal_move_names_what_is_legal_and_changes_nothing(
    shop: Shop, action: str, allowed: list[str]
) -> None:
    order = await shop.ready()
    told = len(await shop.told())
    answer = await shop.attempt(order, action)
    refused(answer, 409, "illegal_move")
    assert answer.json()["allowed"] == allowed
    assert await shop.get(f"orders/{order['id']}") == order
    assert len(await shop.told()) == told


async def test_completed_and_cancelled_are_final(shop: Shop, acme: Firm) -> None:
    done = await shop.started()
    await shop.fire(done, "enroute")
    await shop.act(done, "complete")
    off = await shop.order()
    await shop.act(off, "cancel")
    for order in (done, off):
        before = await shop.get(f"orders/{order['id']}")
        for action in ("dispatch", "start", "complete", "cancel"):
            refused(await shop.attempt(order, action), 409, "illegal_move")
        refused(
            await shop.attempt(order, "update-activity", activity="enroute"), 409, "illegal_move"
        )
        refused(await acme.api.delete(f"/v1/orders/{order['id']}/cancel"), 409, "illegal_move")
        refused(await shop.attempt(order, "assign-driver", driver=None), 409, "illegal_move")
        assert await shop.get(f"orders/{order['id']}") == before


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])
async def test_an_order_is_cancelled_by_whichever_method(
    shop: Shop, acme: Firm, method: str
) -> None:
    order = await shop.started()
    answer = await acme.api.request(method, f"/v1/orders/{order['id']}/cancel")
    assert answer.status_code == 200, answer.text
    assert (answer.json()["status"], answer.json()["canceled_at"]) == (
        "canceled",
        "2026-01-15T12:00:00.000Z",
    )
    assert len(await shop.told("order.cancelled")) == 1


async def test_why_an_order_was_cancelled_is_kept_and_told(shop: Shop) -> None:
    order = await shop.order()
    assert (await shop.act(order, "cancel", reason="Rain."))["cancel_reason"] == "Rain."
    [event] = await shop.told("order.cancelled")
    assert (event["data"]["status"], event["data"]["reason"]) == ("canceled", "Rain.")


async def test_an_activity_is_read_by_its_code_alone(shop: Shop) -> None:
    order = await shop.started()
    hostile = {"code": "enroute", "complete": True, "next": ["completed"], "require_pod": False}
    moved = await shop.act(order, "update-activity", activity=hostile)
    assert (moved["status"], moved["completed_at"]) == ("enroute", None)


async def test_an_activity_that_the_flow_does_not_have_is_refused(shop: Shop) -> None:
    order = await shop.started()
    answer = await shop.attempt(order, "update-activity", activity={"code": "teleported"})
    refused(answer, 409, "illegal_move")
    assert answer.json()["allowed"] == ["arrived_at_pickup", "enroute"]


async def test_what_may_happen_next_says_what_it_needs(shop: Shop) -> None:
    await shop.config(
        {"code": "arrived", "next": ["handed_over"]},
        {
            "code": "handed_over", "status": "Handed over", "complete": True, "require_pod": True,
            "pod_method": "signature",
        },
        key="careful",
    )  # fmt: skip
    order = await shop.started(type="careful")
    await shop.fire(order, "arrived")
    [activity] = await shop.get(f"orders/{order['id']}/next-activity")
    assert activity["code"] == "handed_over"
    assert (activity["require_pod"], activity["pod_method"]) == (True, "signature")
    lacking = {"subject_type": "order", "subject_id": order["id"], "method": "signature"}
    assert activity["missing"] == [lacking]


@pytest.mark.parametrize("action", ["complete", "update-activity"])
async def test_an_activity_that_needs_a_proof_does_not_advance_without_it(
    shop: Shop, action: str
) -> None:
    await shop.config(
        {"code": "handed_over", "complete": True, "require_pod": True, "pod_method": "photo"},
        key="careful",
    )
    order = await shop.started(type="careful")
    body = {"activity": "handed_over"} if action == "update-activity" else {}
    answer = await shop.attempt(order, action, **body)
    refused(answer, 422, "pod_required")
    assert answer.json()["method"] == "photo"
    assert answer.json()["missing"] == [
        {"subject_type": "order", "subject_id": order["id"], "method": "photo"}
    ]
    assert await shop.get(f"orders/{order['id']}") == order


async def test_an_order_that_requires_a_proof_is_not_completed_without_one(shop: Shop) -> None:
    order = await shop.started(pod_required=True, pod_method="scan")
    await shop.fire(order, "enroute")
    answer = await shop.attempt(order, "complete")
    refused(answer, 422, "pod_required")
    assert answer.json()["method"] == "scan"


async def test_an_entity_proof_is_demanded_of_every_item(shop: Shop) -> None:
    await shop.config(
        {
            "code": "done", "complete": True, "require_pod": True, "pod_method": "scan",
            "pod_scope": "entity",
        },
        key="careful",
    )  # fmt: skip
    order = await shop.started(type="careful", entities=[{"name": "A"}, {"name": "B"}])
    answer = await shop.attempt(order, "complete")
    refused(answer, 422, "pod_required")
    items = [item["id"] for item in order["payload"]["entities"]]
    assert [each["subject_id"] for each in answer.json()["missing"]] == items


async def test_a_middle_activity_is_told_as_a_change_of_status(shop: Shop) -> None:
    order = await shop.started()
    await shop.fire(order, "enroute")
    [event] = await shop.told("order.updated")
    assert (event["data"]["changed"], event["data"]["status"]) == (["status"], "enroute")


async def test_an_order_goes_out_with_a_driver_only(shop: Shop) -> None:
    order = await shop.order()
    refused(await shop.attempt(order, "dispatch"), 409, "driver_required")
    driver = await shop.driver()
    sent = await shop.act(order, "dispatch", driver=driver["id"])
    assert sent["driver_assigned"]["id"] == driver["id"]
    names = await shop.names()
    assert names[-4:] == [
        "order.updated", "driver.assigned", "order.dispatched", "tracking_status.created",
    ]  # fmt: skip


async def test_an_order_for_whoever_comes_goes_out_without_a_driver(shop: Shop) -> None:
    order = await shop.order(adhoc=True)
    assert (await shop.act(order, "dispatch"))["driver_assigned"] is None
    refused(await shop.attempt(order, "start"), 409, "driver_required")
    driver = await shop.driver()
    started = await shop.act(order, "start", assign=driver["id"])
    assert started["driver_assigned"]["id"] == driver["id"]


@pytest.mark.parametrize("status", ["inactive", "suspended", "terminated"])
async def test_a_driver_who_may_not_work_gets_no_order(shop: Shop, status: str) -> None:
    driver = await shop.driver(status=status)
    order = await shop.order()
    refused(await shop.attempt(order, "assign-driver", driver=driver["id"]), 409, "driver_inactive")


async def test_who_left_or_was_suspended_meanwhile_is_sent_nowhere(shop: Shop, acme: Firm) -> None:
    order = await shop.ready()
    driver = order["driver_assigned"]["id"]
    await shop.patch(f"drivers/{driver}", status="suspended")
    refused(await shop.attempt(order, "dispatch"), 409, "driver_inactive")
    await acme.api.delete(f"/v1/drivers/{driver}")
    refused(await shop.attempt(order, "dispatch"), 409, "driver_required")
    shown = await shop.get(f"orders/{order['id']}")
    assert shown["driver_assigned"]["id"] == driver


async def test_assigning_tells_the_order_and_the_driver_once(shop: Shop, acme: Firm) -> None:
    van = await shop.vehicle()
    driver = await shop.driver(vehicle=van["id"])
    order = await shop.order()
    assigned = await shop.act(order, "assign-driver", driver=driver["uuid"])
    assert assigned["vehicle_assigned"]["id"] == van["id"]
    await shop.act(order, "assign-driver", driver=driver["id"])
    [event] = await shop.told("driver.assigned")
    assert event["data"]["assigned_to"]["id"] == order["id"]
    [updated] = await shop.told("order.updated")
    assert sorted(updated["data"]["changed"]) == ["driver_assigned", "vehicle_assigned"]
    off = await acme.api.delete(f"/v1/orders/{order['id']}/assign-driver")
    assert (off.json()["driver_assigned"], off.json()["vehicle_assigned"]) == (None, None)
    assert len(await shop.told("driver.assigned")) == 1


async def test_an_order_that_is_out_changes_hands_but_is_never_nobodys(shop: Shop) -> None:
    order = await shop.ready(dispatch=True)
    refused(await shop.attempt(order, "assign-driver", driver=None), 409, "illegal_move")
    other = await shop.driver()
    moved = await shop.act(order, "assign-driver", driver=other["id"])
    assert moved["driver_assigned"]["id"] == other["id"]


async def test_skipping_the_dispatch_tells_both(shop: Shop) -> None:
    order = await shop.ready()
    await shop.act(order, "start", skip_dispatch=True)
    names = [name for name in await shop.names() if name.startswith("order.")]
    assert names == ["order.created", "order.dispatched", "order.started"]


async def test_head_activities_may_be_fired_like_any_other(shop: Shop) -> None:
    order = await shop.ready()
    await shop.fire(order, "dispatched")
    await shop.fire(order, "started")
    names = [name for name in await shop.names() if name.startswith("order.")]
    assert names == ["order.created", "order.dispatched", "order.started"]


async def test_a_completing_activity_of_another_name_completes(shop: Shop) -> None:
    await shop.config(*DELIVERED, key="short")
    order = await shop.started(type="short")
    done = await shop.fire(order, "delivered")
    assert done["status"] == "completed"
    assert len(await shop.told("order.completed")) == 1


async def test_the_way_is_measured_through_every_stop(shop: Shop) -> None:
    order = await shop.order()
    assert await shop.get(f"orders/{order['id']}/distance-and-time") == {
        "distance": order["distance"],
        "time": order["time"],
        "source": "great_circle",
    }
    vague = await shop.order(pickup="Somewhere", dropoff="Elsewhere")
    assert await shop.get(f"orders/{vague['id']}/distance-and-time") == {
        "distance": None,
        "time": None,
        "source": None,
    }
