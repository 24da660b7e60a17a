"""The feed tells everything once, in the order of arrival, however late a transaction ends."""

import asyncio
import re
from datetime import timedelta
from typing import Any

import asyncpg
import httpx
import pytest

from devices.recorder import EVENTS, Recorder, ids
from pannier.cli import doctor
from pannier.devices.events import cursors, feed, hourly_sums
from pannier.devices.events.cursors import FeedPosition
from program import PATIENCE
from stage import Firm

BLOCKED = """select count(*) > 0 from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'"""


@pytest.fixture
def recorder(acme: Firm) -> Recorder:
    return Recorder(acme)


async def read(client: httpx.AsyncClient, after: str, **asked: Any) -> tuple[list[str], str]:
    """Follow the feed to its present end; answer what it told, and where to go on."""
    told: list[str] = []
    for _ in range(100):
        answer = await client.get(EVENTS, params={"after": after, **asked})
        assert answer.status_code == 200, answer.text
        page = answer.json()
        told += [row["id"] for row in page["data"]]
        after = page["meta"]["next_cursor"]
        if not page["meta"]["has_more"]:
            return told, after
    raise AssertionError("The feed does not end.")


async def test_nothing_is_passed_over_when_the_earlier_transaction_ends_later(
    acme: Firm, recorder: Recorder
) -> None:
    device = await recorder.device()
    early, late, last = (recorder.event(device, minutes) for minutes in (3, 2, 1))
    database = acme.house.database
    async with database.transaction() as slow:
        await recorder.write(slow, [early])
        await recorder.store(late)
        told, place = await read(acme.admin, "beginning")
        assert told == []  # not `late` either: it would be a place beyond `early`
    told, place = await read(acme.admin, place)
    assert told == ids(early, late)
    assert await read(acme.admin, place) == ([], place)
    await recorder.store(last)
    assert (await read(acme.admin, place))[0] == ids(last)


async def test_nothing_is_passed_over_that_is_put_on_a_vehicle_and_heard_while_one_reads(
    acme: Firm, recorder: Recorder
) -> None:
    device, vehicle = await recorder.device(), await recorder.vehicle()
    meant = recorder.event(device, 1)
    database = acme.house.database
    async with database.transaction() as other:
        await other.execute("lock table device_batches in access exclusive mode")
        reading = asyncio.create_task(read(acme.admin, "beginning", vehicle=vehicle))
        async with asyncio.timeout(PATIENCE):
            while not await acme.house.value(BLOCKED):
                pass
        await recorder.attach(device, vehicle, meant.occurred_at)
        await recorder.write(other, [meant])
    assert (await reading)[0] == ids(meant)


async def test_a_database_that_was_restored_on_another_server_goes_on_where_it_was(
    acme: Firm, recorder: Recorder
) -> None:
    device, database = await recorder.device(), acme.house.database
    old, unread = recorder.event(device, 3), recorder.event(device, 2)
    await recorder.store(old)
    await recorder.store(unread)
    async with database.transaction() as db:  # As if other transactions had numbered them.
        await db.execute("update device_batches set xid = xid + 1000000000")
    async with database.reading() as db:
        batch, xid = await db.fetch_value("select array[batch, xid] from device_batches order by 1")
    place = cursors.encode_position(database.keys, acme.uuid, FeedPosition(xid, batch, None))
    await hourly_sums.renumber_restored_batches(database)
    news = recorder.event(device, 1)
    await recorder.store(news)
    assert (await read(acme.admin, place))[0] == ids(unread, news)
    assert (await read(acme.admin, "beginning"))[0] == ids(old, unread, news)


async def test_it_is_told_once_whatever_the_pages(
    acme: Firm, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "MAX_EXAMINED", 6)
    device, other = await recorder.device(), await recorder.device()
    # Of one batch by when it happened; of several by when they came, whatever they are about.
    batches = [
        [recorder.event(device, float(number * 10 - place)) for place in range(4)]
        for number in (1, 900, 5, 90_000)
    ]
    batches[2] += [recorder.event(other, 7, "fault_code", severity="critical")]
    for batch in batches:
        await recorder.store(*batch)
    everything = [event for batch in batches for event in ids(*sorted(batch, key=moment))]
    for limit in (1, 3, 1000):
        assert (await read(acme.admin, "beginning", limit=limit))[0] == everything
    told, place = await read(acme.admin, "beginning", device=other.id, limit=2)
    assert told == ids(batches[2][-1])
    assert await read(acme.admin, place) == ([], place)


async def test_many_small_batches_are_more_to_read_also_if_nothing_of_them_is_meant(
    acme: Firm, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "MAX_BATCHES", 2)
    device = await recorder.device()
    for minutes in range(9, 2, -1):
        await recorder.store(recorder.event(device, minutes))
    (meant,) = await recorder.store(recorder.event(device, 1, "fault_code"))
    assert (await read(acme.admin, "beginning", event_type="fault_code"))[0] == ids(meant)
    told, place = await read(acme.admin, "beginning")
    assert len(told) == 8
    assert await read(acme.admin, place) == ([], place)


async def test_from_now_on_only_news(acme: Firm, rival: Firm, recorder: Recorder) -> None:
    device = await recorder.device()
    await recorder.store(recorder.event(device, 1))
    told, place = await read(acme.admin, "now")
    assert told == []
    theirs = Recorder(rival)
    await theirs.store(theirs.event(await theirs.device()))
    (news,) = await recorder.store(recorder.event(device, 2))
    assert (await read(acme.admin, place))[0] == ids(news)


def moment(row: Any) -> Any:
    return row.occurred_at


async def test_a_transaction_in_another_database_holds_nothing_up(
    acme: Firm, recorder: Recorder, server_url: str
) -> None:
    device, neighbour = await recorder.device(), await asyncpg.connect(server_url)
    first, second = (recorder.event(device, minutes) for minutes in (3, 2))
    async with neighbour.transaction():
        await neighbour.execute("select pg_current_xact_id()")
        await recorder.store(first)
        assert (await read(acme.admin, "beginning"))[0] == ids(first)
        async with acme.house.database.transaction() as slow:
            await recorder.write(slow, [recorder.event(device, 1)])
            await recorder.store(second)
            assert (await read(acme.admin, "beginning"))[0] == ids(first)
    await neighbour.close()
    assert len((await read(acme.admin, "beginning"))[0]) == 3


async def test_the_doctor_and_the_metrics_know_who_holds_the_feed_up(
    acme: Firm, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def told() -> doctor.CheckResult:
        connection = await acme.house.database.acquire()
        try:
            return await dict(doctor.CHECKS)["feed"](acme.house.settings, connection)
        finally:
            acme.house.database.connections.release(connection)

    assert (await told()).verdict == "ok"
    guest = await asyncpg.connect(database_url, server_settings={"application_name": "a guest"})
    await guest.execute("begin; create table letters ()")
    monkeypatch.setattr(doctor, "MAX_HORIZON_AGE", timedelta())
    note = await told()
    assert note.verdict == "note"
    assert f"(process {guest.get_server_pid()}, a guest)" in note.words
    metrics = await acme.house.metrics()
    await guest.close()
    (line,) = re.findall(r"^pannier_device_feed_horizon_seconds (\S+)$", metrics, re.MULTILINE)
    assert float(line) > 0
