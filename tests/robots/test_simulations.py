"""A robot delivers the orders of test companies, as a driver would."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from orders.shop import Shop
from pannier.devices.writer import Writer
from pannier.files.storage import make_storage
from pannier.robots.queries import MAX_ROBOTS
from pannier.robots.queue import purge
from pannier.robots.runner import RobotRunner
from pannier.routing.configuration import create_router
from probe import refused
from stage import Firm, House

pytestmark = pytest.mark.slow
Json = dict[str, Any]
ROUTE = {"pickup": "1.30,103.80", "dropoff": "1.35,103.85"}
TEST_CUSTOMER = {"name": "Ada", "phone": "+15555550123"}


@pytest.fixture
async def trial(house: House) -> Firm:
    """A company in test mode."""
    return await house.found("Trial", "test")


@pytest.fixture
async def runner(house: House) -> AsyncIterator[RobotRunner]:
    """The worker's step."""
    async with working(house) as made:
        yield made


class working:  # noqa: N801 - reads as a context
    """A worker that runs nothing but simulations."""

    def __init__(self, house: House) -> None:
        self._writer = Writer(house.database, house.settings)
        self._runner = RobotRunner(
            house.database,
            make_storage(house.settings),
            create_router(house.settings, house.clock),
            self._writer,
        )

    async def __aenter__(self) -> RobotRunner:
        return self._runner

    async def __aexit__(self, *_: object) -> None:
        await self._writer.close()


async def order(firm: Firm, **fields: Any) -> Json:
    made = await firm.api.post("/v1/orders", json={**ROUTE, **fields})
    assert made.status_code == 201, made.text
    found: Json = made.json()
    return found


async def simulated(firm: Firm, placed: Json, **asked: Any) -> Json:
    answer = await firm.api.post(f"/v1/orders/{placed['id']}/simulate", json=asked)
    assert answer.status_code == 202, answer.text
    found: Json = answer.json()
    return found


async def ended(firm: Firm, runner: RobotRunner, placed: Json, *, seconds: float = 5) -> Json:
    """Let time pass until the simulation has ended."""
    for _ in range(2000):
        while await runner.step():
            pass
        found = await state(firm, placed)
        if found["state"] != "running":
            return found
        firm.house.clock.advance(seconds=seconds)
    raise AssertionError(found)


async def state(firm: Firm, placed: Json) -> Json:
    answer = await firm.api.get(f"/v1/orders/{placed['id']}/simulate")
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


async def read(firm: Firm, path: str) -> Any:
    answer = await firm.api.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def names(firm: Firm, subject: str) -> list[str]:
    rows = await firm.admin.get("/int/v1/events", params={"subject": subject, "limit": 100})
    return [row["event"] for row in rows.json()["data"]][::-1]


async def test_an_order_is_delivered_with_the_events_and_positions_of_a_real_driver(
    trial: Firm, runner: RobotRunner
) -> None:
    placed = await order(trial)
    plan = await simulated(trial, placed, speed=60)
    assert [step["activity"] for step in plan["steps"]] == [
        "dispatched", "started", "enroute", "completed",
    ]  # fmt: skip
    assert (plan["state"], plan["speed"]) == ("running", 60)
    times = [step["at"] for step in plan["steps"]]
    assert times == sorted(times)
    found = await ended(trial, runner, placed, seconds=2)
    assert (found["state"], found["reason"]) == ("done", None)
    assert all(step["done"] for step in found["steps"])
    done = await read(trial, f"/v1/orders/{placed['id']}")
    assert done["status"] == "completed"
    driver = await read(trial, f"/v1/drivers/{plan['driver']}")
    assert driver["meta"] == {"robot": True}
    assert not driver["online"]
    told = await names(trial, placed["id"])
    for name in ("order.dispatched", "order.started", "order.completed"):
        assert told.count(name) == 1
    moves = (await names(trial, plan["driver"])).count("driver.location_changed")
    assert moves > 3
    positions = await read(trial, f"/v1/drivers/{plan['driver']}/positions")
    assert len(positions) > 3
    last = positions[0]["location"]["coordinates"]
    assert last == pytest.approx([103.85, 1.35], abs=1e-4)
    again = await trial.api.post(f"/v1/orders/{placed['id']}/simulate", json={})
    refused(again, 409, "illegal_move")


async def test_proofs_are_real(trial: Firm, runner: RobotRunner) -> None:
    shop = Shop(trial)
    flow = [
        {"code": "collected", "next": ["signed"], "require_pod": True, "pod_method": "scan"},
        {"code": "signed", "next": ["pictured"], "require_pod": True, "pod_method": "signature"},
        {"code": "pictured", "next": ["confirmed"], "require_pod": True, "pod_method": "photo"},
        {"code": "confirmed", "complete": True, "require_pod": True, "pod_method": "sms"},
    ]
    config = await shop.config(*flow)
    placed = await order(trial, order_config=config["id"], customer=TEST_CUSTOMER)
    plan = await simulated(trial, placed, speed="instant")
    assert [step["method"] for step in plan["steps"][2:]] == ["scan", "signature", "photo", "sms"]
    found = await ended(trial, runner, placed)
    assert found["state"] == "done", found
    proofs = await read(trial, f"/v1/orders/{placed['id']}/proofs")
    assert {proof["method"] for proof in proofs} == {"scan", "signature", "photo", "sms"}
    for proof in proofs:
        assert (await read(trial, f"/v1/proofs/{proof['id']}/verify"))["valid"], proof
        if proof["method"] in {"photo", "signature"}:
            image = await trial.api.get(proof["url"])
            assert len(image.content) > 1000


async def test_a_code_of_a_real_number_cannot_be_read(trial: Firm) -> None:
    flow = [{"code": "confirmed", "complete": True, "require_pod": True, "pod_method": "sms"}]
    config = await Shop(trial).config(*flow)
    placed = await order(
        trial, order_config=config["id"], customer={"name": "Ada", "phone": "+6591234567"}
    )
    answer = await trial.api.post(f"/v1/orders/{placed['id']}/simulate", json={})
    refused(answer, 409, "test_recipient_required")


async def test_a_code_that_was_entered_wrongly_before_does_not_stop_a_robot(
    trial: Firm, runner: RobotRunner
) -> None:
    flow = [{"code": "confirmed", "complete": True, "require_pod": True, "pod_method": "sms"}]
    config = await Shop(trial).config(*flow)
    placed = await order(trial, order_config=config["id"], customer=TEST_CUSTOMER)
    sent = await trial.api.post(f"/v1/orders/{placed['id']}/send-sms-code", json={})
    assert sent.status_code == 200, sent.text
    wrong = await trial.api.post(f"/v1/orders/{placed['id']}/capture-sms", json={"code": "111111"})
    refused(wrong, 422, "pod_code_incorrect")
    await simulated(trial, placed, speed="instant")
    # A robot that sent the code in the transaction of the activity would wait for itself.
    async with asyncio.timeout(15):
        found = await ended(trial, runner, placed)
    assert (found["state"], found["reason"]) == ("done", None)


async def test_a_number_that_became_real_gets_no_code(trial: Firm, runner: RobotRunner) -> None:
    flow = [{"code": "confirmed", "complete": True, "require_pod": True, "pod_method": "sms"}]
    config = await Shop(trial).config(*flow)
    placed = await order(trial, order_config=config["id"], customer=TEST_CUSTOMER)
    await simulated(trial, placed, speed="instant")
    done = await read(trial, f"/v1/orders/{placed['id']}")
    changed = await trial.api.patch(
        f"/v1/contacts/{done['customer']['id']}", json={"phone": "+6591234567"}
    )
    assert changed.status_code == 200, changed.text
    found = await ended(trial, runner, placed)
    assert found["state"] == "failed"
    assert "cannot read this recipient's SMS code" in found["reason"]


async def test_only_active_robots_are_taken_and_no_people_with_such_numbers(trial: Firm) -> None:
    tester = {"name": "Tess", "phone": "+15555559000", "online": True}
    person = (await trial.api.post("/v1/drivers", json=tester)).json()
    first = await simulated(trial, await order(trial))
    assert first["driver"] != person["id"]
    assert (await trial.api.delete(f"/v1/orders/{first['order']}/simulate")).status_code == 200
    suspended = await trial.api.patch(
        f"/v1/drivers/{first['driver']}", json={"status": "suspended"}
    )
    assert suspended.status_code == 200, suspended.text
    second = await simulated(trial, await order(trial))
    assert second["driver"] not in {person["id"], first["driver"]}


async def test_if_match_holds_until_the_simulation_begins(trial: Firm) -> None:
    placed = await order(trial)
    path = f"/v1/orders/{placed['id']}/simulate"
    etag = (await trial.api.get(f"/v1/orders/{placed['id']}")).headers["etag"]
    await trial.api.patch(f"/v1/orders/{placed['id']}", json={"notes": "Ring twice."})
    refused(
        await trial.api.post(path, json={}, headers={"If-Match": etag}), 412, "precondition_failed"
    )
    # Two at once: one begins, and the other finds it running or the order changed.
    answers = await asyncio.gather(*(trial.api.post(path, json={}) for _ in range(2)))
    assert sorted(answer.status_code for answer in answers) == [202, 409]
    refused(max(answers, key=lambda answer: answer.status_code), 409, "simulation_running")


async def test_several_stops_are_served_one_after_the_other(
    trial: Firm, runner: RobotRunner
) -> None:
    stops = [
        {"place": "1.30,103.80", "type": "pickup"},
        {"place": "1.32,103.82", "type": "dropoff"},
        {"place": "1.35,103.85", "type": "dropoff"},
    ]
    made = await trial.api.post("/v1/orders", json={"payload": {"waypoints": stops}})
    assert made.status_code == 201, made.text
    placed = made.json()
    await simulated(trial, placed, speed="instant")
    assert (await ended(trial, runner, placed))["state"] == "done"
    done = await read(trial, f"/v1/orders/{placed['id']}")
    assert done["status"] == "completed"
    assert all(stop["completed_at"] for stop in done["payload"]["waypoints"])


async def test_a_delivery_fails_for_a_reason_if_asked(trial: Firm, runner: RobotRunner) -> None:
    placed = await order(trial)
    wrong = await trial.api.post(
        f"/v1/orders/{placed['id']}/simulate", json={"outcome": "failed", "reason": "nope"}
    )
    refused(wrong, 422, "validation_failed")
    plan = await simulated(trial, placed, outcome="failed", speed="instant")
    assert plan["steps"][-1]["reason"]
    assert (await ended(trial, runner, placed))["state"] == "done"
    (attempt,) = await read(trial, f"/v1/orders/{placed['id']}/attempts")
    assert attempt["reason"] == plan["steps"][-1]["reason"]
    assert (await read(trial, f"/v1/orders/{placed['id']}"))["status"] != "completed"


async def test_a_canceled_or_stopped_or_reassigned_order_is_left_alone(
    trial: Firm, runner: RobotRunner
) -> None:
    canceled, stopped, taken = [await order(trial) for _ in range(3)]
    for placed in (canceled, stopped, taken):
        await simulated(trial, placed, speed=60)
    while await runner.step():
        pass
    await trial.api.post(f"/v1/orders/{canceled['id']}/cancel", json={})
    answer = await trial.api.delete(f"/v1/orders/{stopped['id']}/simulate")
    assert (answer.status_code, answer.json()["state"]) == (200, "stopped")
    driver = (
        await trial.api.post("/v1/drivers", json={"name": "Eve", "phone": "+6591110001"})
    ).json()
    assigned = await trial.api.post(
        f"/v1/orders/{taken['id']}/assign-driver", json={"driver": driver["id"]}
    )
    assert assigned.status_code == 200, assigned.text
    for placed, reason in ((canceled, "canceled"), (taken, "another driver"), (stopped, "stopped")):
        found = await ended(trial, runner, placed)
        assert found["state"] == "stopped"
        assert reason in found["reason"]
    assert (await read(trial, f"/v1/orders/{stopped['id']}"))["status"] == "dispatched"
    # It goes on from where it stands.
    await simulated(trial, stopped, speed="instant")
    assert (await ended(trial, runner, stopped))["state"] == "done"


async def test_a_refused_step_ends_it_with_the_reason(trial: Firm, runner: RobotRunner) -> None:
    placed = await order(trial)
    plan = await simulated(trial, placed, speed=60)
    await trial.api.patch(f"/v1/drivers/{plan['driver']}", json={"status": "suspended"})
    found = await ended(trial, runner, placed)
    assert found["state"] == "failed"
    assert "not active" in found["reason"]


async def test_two_workers_and_one_that_died_do_everything_once(
    trial: Firm, house: House, runner: RobotRunner
) -> None:
    placed = await order(trial)
    await simulated(trial, placed, speed=1000)
    # A worker leased it and died.
    await house.value(
        "update simulations set attempts = attempts + 1, "
        "due_at = pannier_now() + interval '1 minute' returning 1"
    )
    assert not await runner.step()
    house.clock.advance(seconds=61)
    async with working(house) as other:
        for _ in range(200):
            await asyncio.gather(runner.step(), other.step())
            house.clock.advance(seconds=1)
            if (await state(trial, placed))["state"] != "running":
                break
    assert (await state(trial, placed))["state"] == "done"
    told = await names(trial, placed["id"])
    assert [
        told.count(name) for name in ("order.dispatched", "order.started", "order.completed")
    ] == [1, 1, 1]


async def test_only_test_companies_and_only_so_many_at_once(acme: Firm, trial: Firm) -> None:
    refused(
        await acme.api.post(f"/v1/orders/{(await order(acme))['id']}/simulate", json={}),
        409, "test_company_required",
    )  # fmt: skip
    placed = await order(trial)
    refused(await acme.api.post(f"/v1/orders/{placed['id']}/simulate", json={}), 404, "not_found")
    refused(await trial.api.get(f"/v1/orders/{placed['id']}/simulate"), 404, "not_found")
    for speed in (0.5, 1001, "fast"):
        answer = await trial.api.post(f"/v1/orders/{placed['id']}/simulate", json={"speed": speed})
        assert answer.status_code == 422, answer.text
    plans = [await simulated(trial, await order(trial)) for _ in range(MAX_ROBOTS)]
    assert len({plan["driver"] for plan in plans}) == MAX_ROBOTS
    answer = await trial.api.post(f"/v1/orders/{placed['id']}/simulate", json={})
    refused(answer, 409, "too_many_simulations")
    running = await trial.api.post(f"/v1/orders/{plans[0]['order']}/simulate", json={})
    refused(running, 409, "simulation_running")


async def test_cash_is_collected_and_old_simulations_are_deleted(
    trial: Firm, house: House, runner: RobotRunner
) -> None:
    payload = {**ROUTE, "cod_amount": 1250, "cod_currency": "SGD"}
    made = await trial.api.post("/v1/orders", json={"payload": payload})
    assert made.status_code == 201, made.text
    placed = made.json()
    await simulated(trial, placed, speed="instant")
    assert (await ended(trial, runner, placed))["state"] == "done"
    collections = await read(trial, f"/v1/cash/collections?order={placed['id']}")
    assert [row["amount"] for row in collections] == [1250]
    assert not await purge(house.database)
    house.clock.advance(days=8)
    assert await purge(house.database)
