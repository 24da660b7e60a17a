"""Replaying: one by one, or all that a filter finds; the same delivery with a new schedule."""

import asyncio
from datetime import timedelta
from typing import Any, Final

import asyncpg
import pytest

from pannier.events.catalog import Name
from pannier.webhooks.schedule import DELAYS
from probe import paths, refused
from stage import Firm, House
from webhooks.office import Office, Request, answering

LOG: Final = "/int/v1/webhook-deliveries"


@pytest.fixture
def office(acme: Firm) -> Office:
    return Office.of(acme)


async def fail(office: Office, *subjects: str, name: Name = Name.ORDER_CREATED) -> None:
    """Let events fail for good."""
    office.receivers.answer = lambda _: answering(500)
    for subject in subjects:
        await office.tell(name, subject)
    await office.work()
    for delay in DELAYS:
        office.firm.house.clock.advance(seconds=delay.total_seconds())
        await office.work()
    office.receivers.answer = lambda _: answering(200)
    office.receivers.requests.clear()


async def replay(firm: Firm, delivery: dict[str, Any], *, prefix: str = "/int/v1") -> Any:
    caller = firm.admin if prefix.startswith("/int") else firm.api
    return await caller.post(f"{prefix}/webhook-deliveries/{delivery['id']}/replay")


async def replay_all(firm: Firm, filter: dict[str, Any], **more: Any) -> dict[str, Any]:
    answer = await firm.admin.post(f"{LOG}/replay", json={"filter": filter, **more})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


@pytest.mark.parametrize("prefix", ["/int/v1", "/v1"])
async def test_a_failed_delivery_goes_out_again_as_the_same(
    acme: Firm, office: Office, prefix: str
) -> None:
    await office.register()
    sent: list[Request] = []
    await office.tell()
    await office.work()
    sent += office.receivers.requests
    await fail(office, "order_2")
    failed = (await office.deliveries(state="failed"))[0]
    assert (failed["attempts"], failed["retries_used"]) == (5, 4)

    answer = await replay(acme, failed, prefix=prefix)
    assert answer.status_code == 202, answer.text
    row = answer.json()
    assert (row["id"], row["state"], row["replays"]) == (failed["id"], "pending", 1)
    assert (row["retries_used"], row["finished_at"]) == (0, None)
    assert row["next_attempt_at"] == "2026-01-15T22:35:00.000Z"
    assert (await office.deliveries(state="pending")) == [row]
    await office.work()
    (request,) = office.receivers.requests
    assert request.headers["webhook-id"] == failed["id"]
    (row,) = await office.deliveries(subject="order_2")
    assert (row["state"], row["attempts"], row["replays"]) == ("succeeded", 6, 1)
    detail = await office.delivery(failed["id"])
    triggers = [one["trigger"] for one in detail["attempt_log"]]
    assert triggers == ["event", "retry", "retry", "retry", "retry", "replay"]


async def test_a_replay_has_the_whole_schedule_and_the_same_bytes(
    acme: Firm, office: Office
) -> None:
    await office.register()
    await fail(office, "order_1")
    (failed,) = await office.deliveries()
    body = (await office.delivery(failed["id"]))["body"]
    await replay(acme, failed)
    office.receivers.answer = lambda _: answering(503)
    begun = acme.house.clock.now()
    await office.work()
    for delay in DELAYS:
        acme.house.clock.advance(seconds=delay.total_seconds())
        await office.work()
    passed = [request.at - begun for request in office.receivers.requests]
    assert passed == [sum(DELAYS[:number], timedelta()) for number in range(5)]
    assert len({request.body for request in office.receivers.requests}) == 1
    (row,) = await office.deliveries()
    assert (row["state"], row["attempts"], row["retries_used"]) == ("failed", 10, 4)
    assert (await office.delivery(failed["id"]))["body"] == body
    assert (await replay(acme, failed)).json()["replays"] == 2


async def test_what_succeeded_or_waits_may_be_replayed_too(acme: Firm, office: Office) -> None:
    await office.register()
    await office.tell()
    await office.work()
    (row,) = await office.deliveries()
    assert (await replay(acme, row)).json()["state"] == "pending"
    office.receivers.answer = lambda _: answering(500)
    await office.work()
    (row,) = await office.deliveries()
    assert (row["state"], row["next_attempt_at"]) == ("pending", "2026-01-15T12:05:00.000Z")
    sooner = (await replay(acme, row)).json()
    assert (sooner["next_attempt_at"], sooner["replays"]) == ("2026-01-15T12:00:00.000Z", 2)


async def test_what_is_on_its_way_is_not_replayed(acme: Firm, office: Office) -> None:
    await office.register()
    seen: list[Any] = []

    async def meanwhile(_: Request) -> Any:
        (row,) = await office.deliveries()
        seen.append(await replay(acme, row))
        return answering(200)

    office.receivers.answer = meanwhile
    await office.tell()
    await office.work()
    refused(seen[0], 409, "delivery_in_flight")
    assert [row["state"] for row in await office.deliveries()] == ["succeeded"]


@pytest.mark.parametrize("state", ["paused", "disabled"])
async def test_nothing_is_replayed_to_an_endpoint_that_is_off(
    acme: Firm, office: Office, state: str
) -> None:
    webhook = await office.register()
    await fail(office, "order_1")
    await acme.admin.patch(f"/int/v1/webhooks/{webhook['id']}", json={"state": state})
    (row,) = await office.deliveries()
    refused(await replay(acme, row), 409, "webhook_not_enabled")
    told = await replay_all(acme, {"webhook": webhook["id"]})
    assert (told["matched"], told["replayed"]) == (0, 0)


async def test_nothing_is_replayed_to_an_endpoint_that_is_gone(acme: Firm, office: Office) -> None:
    webhook = await office.register()
    await fail(office, "order_1")
    await acme.admin.delete(f"/int/v1/webhooks/{webhook['id']}")
    (row,) = await office.deliveries()
    refused(await replay(acme, row), 409, "webhook_deleted")
    assert (await replay_all(acme, {"state": ["failed", "cancelled"]}))["matched"] == 0
    answer = await acme.admin.post(f"{LOG}/replay", json={"filter": {"webhook": webhook["id"]}})
    assert refused(answer, 404, "not_found")["fields"][0]["path"] == "filter.webhook"


async def test_a_ping_is_not_replayed(acme: Firm, office: Office) -> None:
    # A port that nobody listens on.
    webhook = await office.register(url="https://127.0.0.1:1024/")
    await acme.admin.post(f"/int/v1/webhooks/{webhook['id']}/ping")
    (row,) = await office.deliveries()
    assert row["state"] == "failed"
    refused(await replay(acme, row), 409, "ping_not_replayable")
    assert (await replay_all(acme, {"webhook": webhook["id"]}))["matched"] == 0


async def test_a_dry_run_counts_and_changes_nothing(acme: Firm, office: Office) -> None:
    await office.register()
    await fail(office, "order_1", "order_2")
    before = await office.deliveries()
    told = await replay_all(acme, {"since": "2026-01-15T00:00:00Z"}, dry_run=True)
    assert told == {"dry_run": True, "matched": 2, "replayed": 0, "remaining": 2, "last": None}
    assert await office.deliveries() == before
    entries = await acme.admin.get(
        "/int/v1/audit", params={"action": "webhook_deliveries.replayed"}
    )
    assert entries.json()["data"] == []


async def test_all_that_a_filter_finds_is_replayed(acme: Firm, office: Office) -> None:
    shop = await office.register()
    till = await office.register(url="https://till.example.com/")
    await fail(office, "order_1")
    await fail(office, "driver_1", name=Name.DRIVER_ONLINE)
    await office.tell(subject="order_3")
    await office.work()

    async def count(**filter: Any) -> int:
        matched: int = (await replay_all(acme, filter, dry_run=True))["matched"]
        return matched

    assert await count(state=["failed"]) == 4
    assert await count(state=["failed", "succeeded"]) == 6
    assert await count(state=["pending", "sending"]) == 0
    assert await count(state=[]) == 0
    assert await count(webhook=shop["id"]) == 2
    assert await count(webhook=shop["uuid"], event=["order.created"]) == 1
    assert await count(event=["order.created", "driver.online"]) == 4
    assert await count(since="2026-01-15T13:00:00Z") == 2
    assert await count(until="2026-01-15T13:00:00Z") == 2
    assert await count(subject="driver_1") == 2
    assert await count(subject="order_3") == 0
    assert await count(subject="order_3", state=["succeeded"]) == 2

    office.receivers.requests.clear()
    told = await replay_all(acme, {"webhook": till["id"]})
    assert (told["matched"], told["replayed"], told["remaining"]) == (2, 2, 0)
    waiting = await office.deliveries(state="pending")
    assert [row["webhook"] for row in waiting] == [till["id"]] * 2
    assert told["last"] == waiting[-1]["id"]
    assert {(row["replays"], row["retries_used"], row["finished_at"]) for row in waiting} == {
        (1, 0, None)
    }
    await office.work()
    assert [request.url for request in office.receivers.requests] == [
        "https://till.example.com/"
    ] * 2


async def test_many_are_replayed_in_parts_the_oldest_first(acme: Firm, office: Office) -> None:
    await office.register()
    for number in range(5):
        office.receivers.answer = lambda _: answering(500)
        await office.tell(subject=f"order_{number}")
        await office.work()
        acme.house.clock.advance(minutes=1)
    await fail(office)
    failed = await office.deliveries(state="failed")
    assert [row["subject"] for row in failed] == [f"order_{number}" for number in range(5)]

    parts = []
    after: str | None = None
    while True:
        told = await replay_all(acme, {"state": ["failed"]}, limit=2, after=after)
        parts.append((told["matched"], told["replayed"], told["remaining"], told["last"]))
        if not told["remaining"]:
            break
        after = told["last"]
        # What fails again meanwhile is not replayed twice.
        async with acme.house.database.transaction() as db:
            await db.execute(
                """with again as (delete from webhook_queue returning delivery)
                   update webhook_deliveries set state = 'failed', finished_at = :now
                   from again where uuid = again.delivery""",
                now=db.now,
            )
    assert parts == [
        (5, 2, 3, failed[1]["id"]),
        (3, 2, 1, failed[3]["id"]),
        (1, 1, 0, failed[4]["id"]),
    ]
    assert await acme.house.value("select max(round) from webhook_queue") == 1
    answer = await acme.admin.post(
        f"{LOG}/replay", json={"filter": {"state": ["failed"]}, "after": "delivery_1"}
    )
    assert refused(answer, 404, "not_found")["fields"][0]["path"] == "after"


@pytest.mark.slow
async def test_two_who_replay_at_once_replay_each_once(acme: Firm, office: Office) -> None:
    await office.register()
    await fail(office, *(f"order_{number}" for number in range(6)))
    told = await asyncio.gather(*(replay_all(acme, {"state": ["failed"]}) for _ in range(4)))
    assert sum(one["replayed"] for one in told) == 6
    assert await acme.house.value("select max(round) from webhook_queue") == 1
    (row, *_) = await office.deliveries()
    answers = await asyncio.gather(*(replay(acme, row) for _ in range(3)))
    assert sorted(answer.json()["replays"] for answer in answers) == [2, 3, 4]


async def test_a_filter_that_is_empty_or_wrong_is_refused(acme: Firm) -> None:
    wrongs: list[tuple[dict[str, Any], str]] = [
        ({}, "filter"),
        ({"filter": {}}, "filter"),
        ({"filter": {"webhook": None, "state": None}}, "filter"),
        ({"filter": {"event": ["order.made"]}}, "filter.event"),
        ({"filter": {"state": ["lost"]}}, "filter.state[0]"),
        ({"filter": {"since": "monday"}}, "filter.since"),
        ({"filter": {"state": ["failed"]}, "limit": 0}, "limit"),
        ({"filter": {"state": ["failed"]}, "limit": 10_001}, "limit"),
    ]
    for body, path in wrongs:
        assert paths(await acme.admin.post(f"{LOG}/replay", json=body)) == [path]
        assert paths(await acme.api.post("/v1/webhook-deliveries/replay", json=body)) == [path]


async def test_replays_are_in_the_audit_log(acme: Firm, office: Office) -> None:
    webhook = await office.register()
    await fail(office, "order_1", "order_2")
    await replay_all(acme, {"webhook": webhook["id"]}, limit=1)
    (row,) = await office.deliveries(state="failed")
    await replay(acme, row, prefix="/v1")
    entries = (await acme.admin.get("/int/v1/audit", params={"limit": 2})).json()["data"]
    one, many = entries
    assert (one["action"], one["subject"]) == ("webhook_delivery.replayed", row["id"])
    assert one["actor_type"] == "key"
    assert many["action"] == "webhook_deliveries.replayed"
    assert (many["details"]["matched"], many["details"]["replayed"]) == (2, 1)
    assert many["details"]["filter"]["webhook"] == webhook["id"]


async def test_another_company_replays_nothing_of_it(
    rival: Firm, office: Office, house: House
) -> None:
    webhook = await office.register()
    await fail(office, "order_1")
    (row,) = await office.deliveries()
    refused(await replay(rival, row), 404, "not_found")
    assert (await replay_all(rival, {"state": ["failed"]}))["matched"] == 0
    answer = await rival.admin.post(f"{LOG}/replay", json={"filter": {"webhook": webhook["id"]}})
    refused(answer, 404, "not_found")
    assert await house.value("select count(*) from webhook_queue") == 0


async def test_a_replay_wakes_the_workers(acme: Firm, office: Office, database_url: str) -> None:
    await office.register()
    await fail(office, "order_1", "order_2")
    (first, _) = await office.deliveries()
    heard: asyncio.Queue[str] = asyncio.Queue()
    listener = await asyncpg.connect(database_url)
    try:
        await listener.add_listener("pannier_webhooks", lambda *news: heard.put_nowait(news[2]))
        await replay(acme, first)
        assert await asyncio.wait_for(heard.get(), 30) == "pannier_webhooks"
        await replay_all(acme, {"state": ["failed"]})
        assert await asyncio.wait_for(heard.get(), 30) == "pannier_webhooks"
    finally:
        await listener.close()
