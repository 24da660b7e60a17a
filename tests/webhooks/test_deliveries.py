"""Deliveries in virtual time: what is sent when, in which order, and what the log says of it."""

import asyncio
import base64
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from standardwebhooks.webhooks import Webhook as Verifier

from pannier import webhooks
from pannier.events.catalog import Name
from pannier.kit.clock import ManualClock
from pannier.webhooks import health, queue, signing, sweep
from pannier.webhooks.models import AttemptResult
from probe import refusing_writes
from program import PATIENCE
from stage import NOON, Firm, House
from webhooks.office import Office, Request, answering

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
ATTEMPTS = [timedelta(), 5 * MINUTE, 35 * MINUTE, 2 * HOUR + 35 * MINUTE, 10 * HOUR + 35 * MINUTE]

WHO_WAITS = """select count(*) from pg_stat_activity
               where datname = current_database() and wait_event_type = 'Lock'"""
END_WHO_WAITS = """select pg_terminate_backend(pid) from pg_stat_activity
                   where datname = current_database() and wait_event_type = 'Lock'"""


@pytest.fixture
def office(acme: Firm) -> Office:
    return Office.of(acme)


async def found(house: House, what: str) -> None:
    """Ask PostgreSQL for something until it is there."""
    async with asyncio.timeout(PATIENCE):
        while not await house.value(what):  # noqa: ASYNC110 - PostgreSQL tells only when asked
            await asyncio.sleep(0.01)


def numbers(office: Office) -> list[int]:
    """Which events arrived, in the order of their arrival."""
    return [int(request.headers["X-Service-Sequence"]) for request in office.receivers.requests]


async def pass_time(office: Office, until: timedelta, step: timedelta = 5 * MINUTE) -> None:
    """Let time pass, and the office work at every step."""
    passed = timedelta()
    while passed < until:
        office.firm.house.clock.advance(seconds=step.total_seconds())
        passed += step
        await office.work()


async def change(office: Office, webhook: dict[str, Any], **wishes: Any) -> None:
    answer = await office.firm.admin.put(f"/int/v1/webhooks/{webhook['id']}", json=wishes)
    assert answer.status_code == 200, answer.text


async def test_an_endpoint_that_always_fails_is_tried_at_exactly_the_contracts_times(
    office: Office, clock: ManualClock
) -> None:
    await office.register()
    office.receivers.answer = lambda _: answering(500)
    await office.tell()
    await office.work()
    for earlier, moment in pairwise(ATTEMPTS):
        wait = moment - earlier
        clock.advance(seconds=wait.total_seconds() - 1)
        await office.work()
        assert office.receivers.requests[-1].at == NOON + earlier, "it was early"
        clock.advance(seconds=1)
        await office.work()
    assert [request.at - NOON for request in office.receivers.requests] == ATTEMPTS
    (row,) = await office.deliveries()
    assert (row["state"], row["attempts"], row["retries_used"]) == ("failed", 5, 4)
    assert row["next_attempt_at"] is None
    await pass_time(office, timedelta(days=1), HOUR)
    assert len(office.receivers.requests) == 5
    log = (await office.delivery(row["id"]))["attempt_log"]
    assert [attempt["trigger"] for attempt in log] == ["event", *["retry"] * 4]
    assert {attempt["outcome"] for attempt in log} == {"refused"}


async def test_delays_count_from_the_end_of_the_attempt_that_failed(
    office: Office, clock: ManualClock
) -> None:
    await office.register()

    def slowly(_: Request) -> AttemptResult:
        clock.advance(seconds=9)
        return answering(503)

    office.receivers.answer = slowly
    await office.tell()
    await office.work()
    (row,) = await office.deliveries()
    assert row["next_attempt_at"] == "2026-01-15T12:05:09.000Z"


@pytest.mark.slow
async def test_every_attempt_and_replay_has_the_same_bytes_and_id_and_a_fresh_signature(
    office: Office,
) -> None:
    webhook = await office.register()
    office.receivers.answer = lambda _: answering(500)
    await office.tell()
    await pass_time(office, 11 * HOUR)
    (row,) = await office.deliveries()
    replayed = await office.firm.admin.post(f"/int/v1/webhook-deliveries/{row['id']}/replay")
    assert replayed.status_code == 202, replayed.text
    office.receivers.answer = lambda _: answering(200)
    await office.work()
    requests = office.receivers.requests
    assert len(requests) == 6
    assert len({request.body for request in requests}) == 1
    assert {request.headers["webhook-id"] for request in requests} == {row["id"]}
    assert len({request.headers["webhook-timestamp"] for request in requests}) == 6
    for request in requests:
        moment = request.at.timestamp()
        assert request.headers["webhook-timestamp"] == str(int(moment))
        envelope = webhooks.verify(request.body, request.headers, webhook["secret"], now=moment)
        assert envelope["event"] == "order.created"
        content = f"{row['id']}.{int(moment)}.".encode() + request.body
        signature = Verifier(webhook["secret"]).sign(
            row["id"], datetime.fromtimestamp(int(moment), UTC), request.body.decode()
        )
        assert request.headers["webhook-signature"] == signature, content
    final = (await office.deliveries())[0]
    assert (final["state"], final["replays"], final["attempts"]) == ("succeeded", 1, 6)


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
async def test_every_2xx_succeeds(office: Office, status: int) -> None:
    await office.register()
    office.receivers.answer = lambda _: answering(status)
    await office.tell()
    await office.work()
    assert [row["state"] for row in await office.deliveries()] == ["succeeded"]


@pytest.mark.parametrize("status", [300, 301, 302, 307, 308, 400, 401, 404, 500, 503])
async def test_everything_else_fails_redirects_too(office: Office, status: int) -> None:
    await office.register()
    office.receivers.answer = lambda _: answering(status)
    await office.tell()
    await office.work()
    (row,) = await office.deliveries()
    assert (row["state"], row["retries_used"]) == ("pending", 1)
    assert str(status) in row["error"]


async def test_an_attempt_is_in_the_log_before_its_first_byte_leaves(office: Office) -> None:
    await office.register()
    seen: list[dict[str, Any]] = []

    async def look(request: Request) -> AttemptResult:
        seen.append(await office.delivery(request.headers["webhook-id"]))
        return answering(200)

    office.receivers.answer = look
    await office.tell()
    await office.work()
    assert seen[0]["state"] == "sending"
    assert [attempt["outcome"] for attempt in seen[0]["attempt_log"]] == ["sending"]


async def test_gone_disables_the_endpoint_and_holds_what_waits_for_it(
    office: Office,
) -> None:
    webhook = await office.register()
    office.receivers.answer = lambda _: answering(410)
    await office.tell(subject="order_1")
    await office.work()
    shown = (await office.firm.admin.get(f"/int/v1/webhooks/{webhook['id']}")).json()
    assert (shown["state"], shown["state_reason"]) == ("disabled", "gone")
    await office.tell(subject="order_2")
    await office.work()
    assert [row["state"] for row in await office.deliveries()] == ["held", "held"]
    await pass_time(office, HOUR)
    assert len(office.receivers.requests) == 1
    office.receivers.answer = lambda _: answering(200)
    await change(office, webhook, state="enabled")
    await office.work()
    assert [row["state"] for row in await office.deliveries()] == ["succeeded", "succeeded"]


async def test_gone_says_nothing_of_an_address_that_was_chosen_meanwhile(office: Office) -> None:
    webhook = await office.register()

    async def moved(request: Request) -> AttemptResult:
        if request.url == webhook["url"]:
            await change(office, webhook, url="https://moved.example.com/hooks")
            return answering(410)
        return answering(200)

    office.receivers.answer = moved
    await office.tell()
    await office.work()
    shown = (await office.firm.admin.get(f"/int/v1/webhooks/{webhook['id']}")).json()
    assert (shown["state"], shown["state_reason"]) == ("enabled", None)
    await pass_time(office, 5 * MINUTE)
    assert [row["state"] for row in await office.deliveries()] == ["succeeded"]


async def test_gone_from_before_somebody_switched_it_on_again_is_not_heeded(
    office: Office, clock: ManualClock
) -> None:
    webhook = await office.register()

    async def back(_: Request) -> AttemptResult:
        clock.advance(seconds=1)
        await change(office, webhook, state="paused")
        await change(office, webhook, state="enabled")
        return answering(410)

    office.receivers.answer = back
    await office.tell()
    await office.work()
    shown = (await office.firm.admin.get(f"/int/v1/webhooks/{webhook['id']}")).json()
    assert shown["state"] == "enabled"


async def test_a_held_retry_is_not_sent_before_its_time(office: Office, clock: ManualClock) -> None:
    webhook = await office.register()
    office.receivers.answer = lambda _: answering(500)
    await office.tell()
    await office.work()
    await change(office, webhook, state="paused")
    clock.advance(seconds=60)
    await change(office, webhook, state="enabled")
    await office.work()
    assert len(office.receivers.requests) == 1
    clock.advance(seconds=240)
    await office.work()
    assert len(office.receivers.requests) == 2


@pytest.mark.parametrize("state", ["paused", "disabled"])
async def test_events_of_an_endpoint_that_is_off_are_held_and_come_in_order_later(
    office: Office, state: str
) -> None:
    webhook = await office.register(state=state)
    for number in range(5):
        await office.tell(number=number)
    await office.relay()
    assert {row["state"] for row in await office.deliveries()} == {"held"}
    await office.work()
    assert office.receivers.requests == []
    assert {row["state"] for row in await office.deliveries()} == {"held"}
    await change(office, webhook, state="enabled")
    await office.work()
    assert numbers(office) == [1, 2, 3, 4, 5]


async def test_a_deleted_endpoints_deliveries_are_cancelled_and_say_so(office: Office) -> None:
    webhook = await office.register()
    office.receivers.answer = lambda _: answering(500)
    await office.tell()
    await office.work()
    await office.firm.admin.delete(f"/int/v1/webhooks/{webhook['id']}")
    await pass_time(office, HOUR)
    (row,) = await office.deliveries()
    assert row["state"] == "cancelled"
    assert row["error"] == "The webhook was deleted."
    assert len(office.receivers.requests) == 1


async def test_what_is_on_its_way_when_its_endpoint_is_deleted_is_not_tried_again(
    office: Office,
) -> None:
    webhook = await office.register()

    async def delete(_: Request) -> AttemptResult:
        await office.firm.admin.delete(f"/int/v1/webhooks/{webhook['id']}")
        return answering(500)

    office.receivers.answer = delete
    await office.tell()
    await office.work()
    assert [row["state"] for row in await office.deliveries()] == ["cancelled"]


async def test_what_is_on_its_way_when_its_endpoint_is_paused_is_held_when_it_fails(
    office: Office,
) -> None:
    webhook = await office.register()

    async def pause(_: Request) -> AttemptResult:
        await change(office, webhook, state="paused")
        return answering(500)

    office.receivers.answer = pause
    await office.tell()
    await pass_time(office, HOUR)
    assert [row["state"] for row in await office.deliveries()] == ["held"]
    assert len(office.receivers.requests) == 1


async def test_an_endpoint_gets_the_events_it_chose_and_no_others(office: Office) -> None:
    await office.register(events=["order.created", "issue.*"])
    for name in (Name.ORDER_CREATED, Name.ORDER_UPDATED, Name.ISSUE_CREATED, Name.DRIVER_ONLINE):
        await office.tell(name)
    await office.work()
    sent = {request.headers["X-Service-Event"] for request in office.receivers.requests}
    assert sent == {"order.created", "issue.created"}


async def test_another_companys_endpoints_get_nothing(office: Office, rival: Firm) -> None:
    theirs = Office.of(rival)
    await theirs.register()
    await office.register()
    await office.tell()
    await office.work()
    assert await theirs.deliveries() == []
    assert len(await office.deliveries()) == 1


async def test_an_event_that_nobody_wants_leaves_no_delivery(office: Office) -> None:
    await office.register(events=["driver.*"])
    await office.tell()
    await office.work()
    assert await office.deliveries() == []


async def test_first_attempts_of_one_order_are_made_in_order(office: Office) -> None:
    await office.register()
    held = asyncio.Event()
    first = asyncio.Event()

    async def wait(request: Request) -> AttemptResult:
        if request.headers["X-Service-Sequence"] == "1":
            first.set()
            await held.wait()
        return answering(500)

    office.receivers.answer = wait
    for number in range(3):
        await office.tell(number=number)
    await office.relay()
    assert await office.sender.step()
    await first.wait()
    assert not await office.sender.step(), "the second overtook the first"
    assert numbers(office) == [1]
    held.set()
    await office.sender.wait_until_idle()
    await office.work()
    # The first has failed and waits for its retry: the others go on.
    assert numbers(office) == [1, 2, 3]


async def test_orders_do_not_wait_for_each_other(office: Office) -> None:
    await office.register()
    for number in range(5):
        await office.tell(subject=f"order_{number}")
    await office.relay()
    assert await office.sender.step()
    await office.sender.wait_until_idle()
    assert len(office.receivers.requests) == 5


async def test_in_strict_order_a_later_event_waits_until_the_earlier_one_has_succeeded(
    office: Office,
) -> None:
    await office.register(ordering="strict")
    fails = [2]

    def sometimes(request: Request) -> AttemptResult:
        if b'"number":1' in request.body and fails[0]:
            fails[0] -= 1
            return answering(500)
        return answering(200)

    office.receivers.answer = sometimes
    await office.tell(number=1)
    await office.tell(number=2)
    await office.work()
    await office.tell(number=3)
    await office.tell(subject="order_2")
    await office.work()
    assert len(office.receivers.requests) == 2, "only another order went on"
    await pass_time(office, 5 * MINUTE)
    assert len(office.receivers.requests) == 3
    await pass_time(office, 30 * MINUTE)
    assert numbers(office)[-3:] == [1, 2, 3]
    assert {row["state"] for row in await office.deliveries()} == {"succeeded"}


@pytest.mark.slow
async def test_in_strict_order_the_next_goes_on_after_one_has_failed_for_good(
    office: Office,
) -> None:
    await office.register(ordering="strict")
    office.receivers.answer = lambda request: answering(
        500 if request.headers["X-Service-Sequence"] == "1" else 200
    )
    await office.tell(number=1)
    await office.tell(number=2)
    await office.work()
    await pass_time(office, 10 * HOUR + 30 * MINUTE)
    assert numbers(office) == [1, 1, 1, 1]
    await pass_time(office, 5 * MINUTE)
    assert numbers(office) == [1, 1, 1, 1, 1, 2]


async def test_in_strict_order_what_waits_is_not_overdue_and_goes_on_as_soon_as_it_may(
    office: Office, clock: ManualClock
) -> None:
    await office.register(ordering="strict")
    office.receivers.answer = lambda _: answering(500)
    await office.tell(number=1)
    await office.tell(number=2)
    await office.work()
    clock.advance(minutes=1)
    await office.tell(number=3)
    await office.work()
    waiting = [row["next_attempt_at"] for row in await office.deliveries()]
    assert waiting == ["2026-01-15T12:05:00.000Z"] * 3
    clock.advance(minutes=2)
    status = (await office.firm.admin.get("/status")).json()["checks"]
    assert status["webhooks"] == "ok"
    # Somebody mends the receiver, and does not wait for the retry.
    office.receivers.answer = lambda _: answering(200)
    first = (await office.deliveries())[0]
    await office.firm.admin.post(f"/int/v1/webhook-deliveries/{first['id']}/replay")
    await office.work()
    assert {row["state"] for row in await office.deliveries()} == {"succeeded"}


async def test_a_success_after_a_failure_is_noted_at_once(office: Office) -> None:
    webhook = await office.register()
    for status in (200, 500, 200):
        office.receivers.answer = lambda _, status=status: answering(status)
        await office.tell(subject=f"order_{status}")
        await office.work()
    shown = (await office.firm.admin.get(f"/int/v1/webhooks/{webhook['id']}")).json()
    assert shown["health"]["failing_since"] is None
    assert shown["health"]["failures"] == 0


@pytest.mark.parametrize("state", ["40001", "53000", "53100", "58030", "25006", "57P01"])
async def test_an_attempt_is_recorded_whole_once_the_server_takes_it(
    office: Office, house: House, database_url: str, state: str
) -> None:
    office.receivers.answer = lambda _: answering(200)
    await office.register()
    await office.tell()
    async with refusing_writes(database_url, "webhook_attempts", state, times=1):
        await office.work()
        assert await house.value("select last_value from refusals") == 2
    attempts = "select array_agg(outcome || coalesce(error, '')) from webhook_attempts"
    assert await house.value(attempts) == ["succeeded"]
    assert await house.value("select last_success_at from webhook_health") is not None


async def test_of_a_drivers_places_only_the_latest_is_sent(
    office: Office, clock: ManualClock
) -> None:
    await office.register()
    office.receivers.answer = lambda _: answering(500)
    for number in range(4):
        await office.tell(Name.DRIVER_LOCATION_CHANGED, "driver_1", number)
    await office.tell(Name.DRIVER_LOCATION_CHANGED, "driver_2", 9)
    await office.work()
    assert len(office.receivers.requests) == 2
    states = [row["state"] for row in await office.deliveries(subject="driver_1")]
    assert sorted(states) == ["pending", "superseded", "superseded", "superseded"]
    office.receivers.answer = lambda _: answering(200)
    clock.advance(seconds=1)
    await office.tell(Name.DRIVER_LOCATION_CHANGED, "driver_1", 7)
    await office.work()
    last = (await office.deliveries(subject="driver_1"))[-1]
    assert last["state"] == "succeeded"
    await pass_time(office, 11 * HOUR, HOUR)
    states = [row["state"] for row in await office.deliveries(subject="driver_1")]
    assert sorted(states) == ["succeeded", *["superseded"] * 4]


async def test_of_a_vehicles_places_only_the_latest_is_sent_and_every_other_change(
    office: Office, clock: ManualClock
) -> None:
    await office.register(events=["vehicle.updated"])
    office.receivers.answer = lambda _: answering(500)
    van = (await office.firm.api.post("/v1/vehicles", json={"plate_number": "SGX 1"})).json()
    path = f"/v1/vehicles/{van['id']}"
    for turn, plate in enumerate(("SGX 2", "SGX 3")):
        place = {"latitude": 1 + turn, "longitude": 103}
        assert (await office.firm.api.post(f"{path}/track", json=place)).status_code == 200
        changed = await office.firm.api.patch(path, json={"plate_number": plate})
        assert changed.status_code == 200
        await office.work()
        clock.advance(minutes=1)
    states = [row["state"] for row in await office.deliveries()]
    assert states == ["superseded", "pending", "pending", "pending"]


async def test_a_drivers_place_does_not_take_the_place_of_other_news_of_theirs(
    office: Office,
) -> None:
    await office.register()
    await office.tell(Name.DRIVER_ONLINE, "driver_1")
    await office.tell(Name.DRIVER_LOCATION_CHANGED, "driver_1")
    await office.work()
    assert [row["state"] for row in await office.deliveries()] == ["succeeded", "succeeded"]


async def test_a_worker_that_dies_leaves_an_interrupted_attempt_and_costs_no_retry(
    office: Office,
) -> None:
    await office.register()
    await office.tell()
    await office.relay()
    assert len(await take(office)) == 1
    await office.work()
    (row,) = await office.deliveries()
    assert (row["state"], row["retries_used"], row["attempts"]) == ("succeeded", 0, 2)
    log = (await office.delivery(row["id"]))["attempt_log"]
    assert [attempt["outcome"] for attempt in log] == ["interrupted", "succeeded"]
    assert log[0]["error"]


async def take(office: Office) -> list[queue.LeasedDelivery]:
    """Claim as a worker does that dies at once."""
    async with office.firm.house.database.transaction() as db:
        webhook = await db.fetch_value("select uuid from webhooks")
        work = [queue.LaneQuota(webhook, 10, 10)]
        return await queue.lease_deliveries(db, work, sender=2)


async def test_who_comes_back_too_late_records_nothing(office: Office) -> None:
    await office.register()
    await office.tell()
    await office.relay()
    (late,) = await take(office)
    office.receivers.answer = lambda _: answering(500)
    await office.work()
    before = (await office.deliveries())[0]
    done = queue.EndedAttempt(late, queue.NextStep("succeeded", 0, NOON), NOON, answering(200), {})
    async with office.firm.house.database.transaction() as db:
        assert await queue.record_attempts(db, [done]) == []
    assert (await office.deliveries())[0] == before
    log = (await office.delivery(before["id"]))["attempt_log"]
    assert [attempt["outcome"] for attempt in log] == ["interrupted", "refused"]


async def test_nobody_takes_what_another_has_taken(office: Office) -> None:
    await office.register()
    for number in range(20):
        await office.tell(subject=f"order_{number}")
    await office.relay()
    both = await asyncio.gather(take(office), take(office))
    names = [taken.uuid for part in both for taken in part]
    assert len(names) == len(set(names)) == 20


async def test_a_worker_that_is_stopped_gives_back_what_it_has_not_finished(
    office: Office, acme: Firm
) -> None:
    await office.register()
    begun = asyncio.Event()

    async def hang(_: Request) -> AttemptResult:
        begun.set()
        await asyncio.Event().wait()
        raise AssertionError

    office.receivers.answer = hang
    await office.tell()
    await office.relay()
    await office.sender.step()
    await begun.wait()
    await office.sender.close()
    (row,) = await office.deliveries()
    assert (row["state"], row["retries_used"]) == ("pending", 0)
    office.receivers.answer = lambda _: answering(200)
    office.sender = Office.hire(acme, office.receivers)
    await office.work()
    log = (await office.delivery(row["id"]))["attempt_log"]
    assert [attempt["outcome"] for attempt in log] == ["interrupted", "succeeded"]


async def test_what_comes_after_an_interrupted_attempt_does_not_overtake_it(
    office: Office, acme: Firm
) -> None:
    await office.register()
    begun, going_on = asyncio.Event(), asyncio.Event()

    async def hang(_: Request) -> AttemptResult:
        begun.set()
        await going_on.wait()
        return answering(200)

    office.receivers.answer = hang
    await office.tell(number=1)
    await office.tell(number=2)
    await office.relay()
    await office.sender.step()
    await begun.wait()
    await office.sender.close()
    begun.clear()
    office.sender = Office.hire(acme, office.receivers)
    await office.sender.step()
    await begun.wait()
    assert not await office.sender.step()
    assert numbers(office) == [1, 1]
    going_on.set()
    await office.sender.wait_until_idle()
    await office.work()
    assert numbers(office) == [1, 1, 2]


async def test_nothing_is_taken_for_an_endpoint_that_was_switched_off_a_moment_ago(
    office: Office,
) -> None:
    await office.register()
    await office.tell()
    await office.relay()
    async with office.firm.house.database.transaction() as db:
        # As if it had come into the lane just after the pause had looked there.
        await db.execute("update webhooks set state = 'paused', version = version + 1")
    assert await take(office) == []
    await office.work()
    assert [row["state"] for row in await office.deliveries()] == ["held"]


async def test_a_stop_waits_for_what_is_only_to_be_written_down(office: Office) -> None:
    await office.register()
    locked, answered = asyncio.Event(), asyncio.Event()

    async def wait(_: Request) -> AttemptResult:
        await locked.wait()
        answered.set()
        return answering(200)

    office.receivers.answer = wait
    await office.tell()
    await office.relay()
    await office.sender.step()
    async with office.firm.house.database.transaction() as db:
        await db.fetch_value("select delivery from webhook_queue for update")
        locked.set()
        await answered.wait()
        stopping = asyncio.create_task(office.sender.close())
        done, _ = await asyncio.wait([stopping], timeout=0.1)
        assert not done
    await stopping
    assert [row["state"] for row in await office.deliveries()] == ["succeeded"]


async def test_a_stale_connection_is_tried_again_at_once_with_a_fresh_one(office: Office) -> None:
    await office.register()
    office.receivers.answer = lambda request: (
        answering(200) if request.fresh else AttemptResult(outcome="disconnected", stale=True)
    )
    await office.tell()
    await office.work()
    assert [request.fresh for request in office.receivers.requests] == [False, True]
    (row,) = await office.deliveries()
    assert (row["state"], row["retries_used"], row["attempts"]) == ("succeeded", 0, 2)


@pytest.mark.slow
async def test_a_receiver_that_always_hangs_up_uses_its_retries(office: Office) -> None:
    await office.register()
    office.receivers.answer = lambda _: AttemptResult(outcome="disconnected", stale=True)
    await office.tell()
    await pass_time(office, 12 * HOUR)
    (row,) = await office.deliveries()
    assert row["state"] == "failed"
    assert row["retries_used"] == 4


@pytest.mark.slow
async def test_the_rate_limit_holds_at_the_receiver(office: Office, clock: ManualClock) -> None:
    await office.register(rate_limit=5)
    for number in range(30):
        await office.tell(subject=f"order_{number}")
    await office.relay()
    for _ in range(80):
        await office.work()
        clock.advance(milliseconds=100)
    arrivals = [request.at for request in office.receivers.requests]
    assert len(arrivals) == 30
    for moment in arrivals:
        within = sum(moment <= other < moment + timedelta(seconds=1) for other in arrivals)
        assert within <= 6


@pytest.mark.slow
async def test_a_failing_endpoint_keeps_one_place_busy_not_all(office: Office) -> None:
    await office.register(max_in_flight=16)
    flying, most = [0], [0]

    async def fail(_: Request) -> AttemptResult:
        flying[0] += 1
        most[0] = max(most[0], flying[0])
        await asyncio.sleep(0)
        flying[0] -= 1
        return AttemptResult(outcome="timeout")

    office.receivers.answer = fail
    for number in range(60):
        await office.tell(subject=f"order_{number}")
    await office.work()
    most[0] = 0
    for number in range(60, 80):
        await office.tell(subject=f"order_{number}")
    await office.work()
    assert most[0] == 1
    assert len(office.receivers.requests) == 80, "every event has its attempts all the same"


@pytest.mark.slow
async def test_after_five_days_of_nothing_but_failures_an_endpoint_is_disabled(
    office: Office,
) -> None:
    webhook = await office.register()
    office.receivers.answer = lambda _: answering(500)
    for day in range(6):
        for number in range(2):
            await office.tell(subject=f"order_{day}_{number}")
        await pass_time(office, timedelta(days=1), HOUR)
    shown = (await office.firm.admin.get(f"/int/v1/webhooks/{webhook['id']}")).json()
    assert (shown["state"], shown["state_reason"]) == ("disabled", "failing")
    assert shown["health"]["failing_since"] == "2026-01-15T13:00:00.000Z"


@pytest.mark.slow
async def test_one_success_in_between_keeps_it(office: Office) -> None:
    webhook = await office.register()
    for day in range(12):
        office.receivers.answer = lambda _, day=day: answering(200 if day % 4 == 3 else 500)
        for number in range(2):
            await office.tell(subject=f"order_{day}_{number}")
        await pass_time(office, timedelta(days=1), HOUR)
    shown = (await office.firm.admin.get(f"/int/v1/webhooks/{webhook['id']}")).json()
    assert shown["state"] == "enabled"


async def test_old_deliveries_leave_the_log_and_those_that_are_due_stay(
    office: Office, clock: ManualClock
) -> None:
    webhook = await office.register()
    await office.tell(subject="order_1")
    await office.work()
    office.receivers.answer = lambda _: answering(500)
    await office.tell(subject="order_2")
    await office.work()
    clock.advance(days=31)
    assert await sweep.step(office.firm.house.database, timedelta(days=30))
    rows = await office.deliveries()
    assert [row["subject"] for row in rows] == ["order_2"]
    attempts = await office.firm.house.value("select count(*) from webhook_attempts")
    assert attempts == 1
    await change(office, webhook, description="still here")


async def test_the_status_complains_when_nothing_is_sent_though_something_is_due(
    office: Office, clock: ManualClock
) -> None:
    async def told() -> str:
        return str((await office.firm.admin.get("/status")).json()["checks"]["webhooks"])

    await office.register()
    await office.tell()
    await office.relay()
    assert await told() == "ok"
    clock.advance(seconds=61)
    assert await told() == "Deliveries are due, and none has been sent for 61 s."
    office.receivers.answer = lambda _: answering(500)
    await office.work()
    assert await told() == "ok"
    clock.advance(minutes=4)
    assert await told() == "ok", "a retry that is not due yet is no complaint"


async def test_a_failure_of_our_own_costs_no_retry_and_is_not_the_receivers(
    office: Office, clock: ManualClock
) -> None:
    webhook = await office.register()

    def broken(_: Request) -> AttemptResult:
        raise RuntimeError("a defect of ours")

    office.receivers.answer = broken
    await office.tell()
    for _ in range(6):
        await office.work()
        clock.advance(minutes=5)
    (row,) = await office.deliveries()
    assert (row["state"], row["attempts"], row["retries_used"]) == ("pending", 6, 0)
    shown = (await office.firm.admin.get(f"/int/v1/webhooks/{webhook['id']}")).json()
    assert shown["health"]["failures"] == 0
    office.receivers.answer = lambda _: answering(200)
    await office.work()
    assert [row["state"] for row in await office.deliveries()] == ["succeeded"]


@pytest.mark.slow
async def test_whoever_asks_for_metrics_has_a_bounded_number_counted(office: Office) -> None:
    await office.register()
    async with office.firm.house.database.transaction() as db:
        await db.execute(
            """insert into webhook_queue (delivery, company, webhook, sequence, due_at, ready)
               select gen_random_uuid(), company, uuid, 1, :now, true
               from webhooks, generate_series(1, 10001)""",
            now=db.now,
        )
    lines = (await office.firm.house.metrics()).splitlines()
    assert 'pannier_webhook_deliveries_waiting{state="pending"} 10000.0' in lines


async def test_metrics_tell_what_waits_and_for_how_long(office: Office, clock: ManualClock) -> None:
    webhook = await office.register()
    await office.tell(subject="order_1")
    await office.tell(subject="order_2")
    await office.relay()
    clock.advance(seconds=7)

    async def told() -> list[str]:
        return (await office.firm.house.metrics()).splitlines()

    lines = await told()
    assert 'pannier_webhook_deliveries_waiting{state="pending"} 2.0' in lines
    assert "pannier_webhook_oldest_due_seconds 7.0" in lines
    await change(office, webhook, state="paused")
    lines = await told()
    assert 'pannier_webhook_deliveries_waiting{state="pending"} 0.0' in lines
    assert 'pannier_webhook_deliveries_waiting{state="held"} 2.0' in lines
    assert "pannier_webhook_oldest_due_seconds 0.0" in lines


async def test_an_odd_answer_does_not_keep_the_others_from_being_recorded(office: Office) -> None:
    await office.register()

    def odd(request: Request) -> AttemptResult:
        answer = answering(200)
        if request.headers["X-Service-Event"] == "order.updated":
            answer.error = "a NUL \0 that no text in the database can hold"
        return answer

    office.receivers.answer = odd
    await office.tell(Name.ORDER_CREATED, "order_1")
    await office.tell(Name.ORDER_UPDATED, "order_2")
    await office.work()
    assert {row["state"] for row in await office.deliveries()} == {"succeeded"}


async def test_a_connection_that_breaks_while_recording_costs_nothing(office: Office) -> None:
    await office.register()
    locked = asyncio.Event()

    async def wait(_: Request) -> AttemptResult:
        await locked.wait()
        return answering(200)

    office.receivers.answer = wait
    await office.tell()
    await office.relay()
    await office.sender.step()
    async with office.firm.house.database.transaction() as db:
        await db.fetch_value("select delivery from webhook_queue for update")
        locked.set()
        # Somebody ends the session that waits to record.
        await found(office.firm.house, END_WHO_WAITS)
    await office.sender.wait_until_idle()
    (row,) = await office.deliveries()
    assert (row["state"], row["attempts"]) == ("succeeded", 1)
    log = (await office.delivery(row["id"]))["attempt_log"]
    assert [attempt["outcome"] for attempt in log] == ["succeeded"]


async def test_who_changes_address_and_order_and_who_records_wait_for_each_other_in_one_order(
    office: Office, house: House
) -> None:
    webhook = await office.register()
    office.receivers.answer = lambda _: answering(500)
    await office.tell()
    await office.work()
    uuid = UUID(webhook["uuid"])
    async with house.database.transaction() as db:
        await queue.lock_queues(db, [uuid])
        wishes = {"url": "https://moved.example.com/hooks", "ordering": "strict"}
        changing = asyncio.create_task(change(office, webhook, **wishes))
        await found(house, WHO_WAITS)
        # Who waits here would wait for ever: it is the other one's turn only after this.
        await db.execute("set local lock_timeout = '100ms'")
        failed = health.count_attempts(uuid, [(db.now, "refused")])
        assert [one.failures for one in await health.record_tallies(db, [failed])] == [2]
    await changing
    shown = (await office.firm.admin.get(f"/int/v1/webhooks/{webhook['id']}")).json()
    assert (shown["ordering"], shown["health"]["failures"]) == ("strict", 0)


async def test_a_rotation_while_a_retry_waits_signs_it_with_the_new_secret(
    office: Office, clock: ManualClock
) -> None:
    webhook = await office.register()
    office.receivers.answer = lambda _: answering(500)
    await office.tell()
    await office.work()
    rotated = await office.firm.admin.post(
        f"/int/v1/webhooks/{webhook['id']}/rotate-secret", json={"grace_seconds": 600}
    )
    secret = rotated.json()["secret"]
    clock.advance(minutes=5)
    await office.work()
    during = office.receivers.requests[-1]
    moment = during.at.timestamp()
    for either in (secret, webhook["secret"]):
        assert webhooks.verify(during.body, during.headers, either, now=moment)
    clock.advance(minutes=30)
    await office.work()
    after = office.receivers.requests[-1]
    assert webhooks.verify(after.body, after.headers, secret, now=after.at.timestamp())
    with pytest.raises(webhooks.InvalidSignature):
        webhooks.verify(after.body, after.headers, webhook["secret"], now=after.at.timestamp())


def test_a_secret_has_the_form_that_standard_webhooks_expects() -> None:
    secret = signing.create_secret()
    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret.removeprefix("whsec_"))) == 32


async def test_a_disabled_endpoint_is_an_alert_until_it_is_enabled(office: Office) -> None:
    webhook = await office.register()
    office.receivers.answer = lambda _: answering(410)
    await office.tell()
    await office.work()
    [alert] = (await office.firm.admin.get("/int/v1/alerts?open=true")).json()["data"]
    assert (alert["kind"], alert["subject"]) == ("webhook_disabled", webhook["id"])
    assert alert["details"] == {"host": urlsplit(webhook["url"]).hostname, "reason": "gone"}
    await change(office, webhook, state="enabled")
    assert (await office.firm.admin.get("/int/v1/alerts?open=true")).json()["data"] == []


async def test_an_endpoint_that_an_operator_disables_is_no_alert(office: Office) -> None:
    webhook = await office.register()
    await change(office, webhook, state="disabled")
    assert (await office.firm.admin.get("/int/v1/alerts")).json()["data"] == []
