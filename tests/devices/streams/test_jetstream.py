"""With JetStream before the writer, what is acknowledged is stored, once, and counted as ever."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import msgspec
import pytest

import brokers
from brokers import Nats
from devices.gear import Gear, device, position
from devices.streams.ear import until, worker
from pannier.devices.brokers.errors import StreamUnavailable
from pannier.devices.brokers.jetstream_backend import JetStreamBackend
from pannier.devices.outcomes import UNKNOWN_DEVICE, IngestOutcome
from pannier.devices.readings import ItemRefusal
from pannier.devices.sources import Source
from pannier.devices.writer import Busy
from pannier.errors import Unauthenticated
from pannier.settings import Settings
from program import PATIENCE
from stage import Firm, House

pytestmark = pytest.mark.slow

STORED = "select count(*) from device_events"


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Nats]:
    with brokers.running(Nats(tmp_path)) as broker:
        yield broker


@pytest.fixture
def streaming(house: House, broker: Nats) -> Settings:
    return msgspec.structs.replace(house.settings, nats_url=broker.url, nats_bytes=4 << 20)


@pytest.fixture
async def front(streaming: Settings) -> AsyncIterator[JetStreamBackend]:
    made = JetStreamBackend(streaming, answer_seconds=PATIENCE)
    yield made
    await made.close()


@pytest.fixture
async def tracker(acme: Firm) -> Gear:
    return await device(acme, "860123")


async def taken(front: JetStreamBackend, tracker: Gear) -> bool:
    """Tell whether something that was sent before is taken again."""
    try:
        return (await front.put(tracker.own, [position(1)])).pending == 1
    except StreamUnavailable:
        return False


async def test_senders_hear_what_they_would_hear_from_the_writer(
    house: House,
    front: JetStreamBackend,
    streaming: Settings,
    tracker: Gear,
    acme: Firm,
    database_url: str,
) -> None:
    await device(acme, "860124")
    batch = [position(key, name=f"86012{3 + key % 3}") for key in range(30)]
    unread = [ItemRefusal(3, "event_invalid", "It is no event.", b"?")]
    async with worker(house, database_url, streaming):
        outcome = await front.put(tracker.company, batch, unread)
        assert (outcome.accepted, outcome.duplicates, outcome.pending) == (20, 0, 0)
        # The third device is unknown: by the index of each of its readings in what was sent.
        unknown = [key if key < 3 else key + 1 for key in range(2, 30, 3)]
        expected = sorted([(3, "event_invalid"), *((at, UNKNOWN_DEVICE) for at in unknown)])
        assert [(each.index, each.code) for each in outcome.refusals] == expected
        again = await front.put(tracker.own, [position(0), position(100)])
        assert again == IngestOutcome(1, 1, [])
        assert await front.put(tracker.own, []) == IngestOutcome(0, 0, [])
        with pytest.raises(Unauthenticated):
            await front.put(tracker.own._replace(token=tracker.uuid), [position(7)])
    assert await house.value(STORED) == 21
    assert await house.value("select count(*) from device_rejects") == 11


async def test_what_nobody_stores_yet_is_safe_and_stored_later_once(
    house: House, streaming: Settings, tracker: Gear, broker: Nats, database_url: str
) -> None:
    hasty = JetStreamBackend(streaming, answer_seconds=0.05)
    sent = [position(key) for key in range(2000)]
    assert await hasty.put(tracker.own, sent) == IngestOutcome(0, 0, [], 2000)
    broker.kill()
    with pytest.raises(StreamUnavailable):
        await hasty.put(tracker.own, [position(1)])
    broker.start()
    await until(lambda: taken(hasty, tracker), wanted=True)
    await hasty.close()
    async with worker(house, database_url, streaming), worker(house, database_url, streaming):
        await until(lambda: house.value(STORED), 2000)


async def test_what_was_acknowledged_is_stored_though_the_token_has_ended_since(
    acme: Firm, house: House, streaming: Settings, database_url: str
) -> None:
    assert (await acme.api.post("/v1/devices", json={"name": "Tracker"})).status_code == 201
    shown = await house.value("select array[holder, uuid] from tokens where kind = 'device'")
    own = Source(acme.uuid, *shown, speaks_for_all=False, adopts=False)
    hasty, ended = (
        JetStreamBackend(streaming, answer_seconds=0.05),
        "update tokens set revoked_at = '{}-01-01Z'",
    )
    assert await hasty.put(own, [position(1)]) == IngestOutcome(0, 0, [], 1)
    async with house.database.transaction() as db:  # After what the broker's own clock says.
        await db.execute(ended.format(2090))
    async with worker(house, database_url, streaming):
        await until(lambda: house.value(STORED), 1)
        async with house.database.transaction() as db:
            await db.execute(ended.format(2020))
        patient = JetStreamBackend(streaming, answer_seconds=PATIENCE)
        with pytest.raises(Unauthenticated):
            await patient.put(own, [position(2)])
    await hasty.close()
    await patient.close()


async def test_a_full_stream_sends_senders_back(streaming: Settings, tracker: Gear) -> None:
    small = msgspec.structs.replace(streaming, nats_bytes=1 << 20)
    front = JetStreamBackend(small, answer_seconds=0)
    sent = [position(key, data={"note": "x" * 500}) for key in range(500)]
    assert (await front.put(tracker.own, sent)).pending == 500
    answers = await asyncio.gather(
        *(front.put(tracker.own, sent) for _ in range(9)), return_exceptions=True
    )
    assert any(isinstance(answer, Busy) for answer in answers)
    await front.close()


async def test_who_has_little_waiting_is_not_sent_back_for_what_others_have(
    streaming: Settings, tracker: Gear, rival: Firm
) -> None:
    front, theirs = (
        JetStreamBackend(streaming, max_waiting_events=40, answer_seconds=0.5),
        await device(rival),
    )
    answers = await asyncio.gather(
        front.put(tracker.own, [position(key) for key in range(40)]),
        front.put(tracker.own, [position(50)]),
        front.put(theirs.own, [position(key) for key in range(10)]),
        front.put(theirs.own, [position(60)]),
        return_exceptions=True,
    )
    await front.close()
    pending = [each.pending if isinstance(each, IngestOutcome) else type(each) for each in answers]
    assert pending == [40, Busy, 10, Busy]
    assert front.waiting_events == 0
