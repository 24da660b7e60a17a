"""What comes at the same time is stored together; what cannot wait is sent back."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from devices.gear import device, position
from pannier.db import Db
from pannier.db.database import OutcomeUnknown
from pannier.devices import effects
from pannier.devices.outcomes import IngestOutcome
from pannier.devices.sources import Source
from pannier.devices.store import ReadingEntry
from pannier.devices.writer import MIN_EVENTS_TO_FLUSH, Busy, Writer
from pannier.errors import Unauthenticated
from stage import NOON, Firm, House


@pytest.fixture
def writer(house: House) -> Writer:
    return Writer(house.database, house.settings, max_waiting_events=100)


async def test_what_is_put_at_once_is_stored_together(acme: Firm, writer: Writer) -> None:
    one = await device(acme)
    puts = [writer.put(one.own, [position(key)]) for key in (1, 2, 3, 3)]
    outcomes = await asyncio.gather(*puts)
    assert outcomes == [IngestOutcome(1, 0, [])] * 3 + [IngestOutcome(0, 1, [])]
    assert await acme.house.value("select array_agg(events) from device_batches") == [3]


async def send_many(writer: Writer, source: Source) -> None:
    """Send one after the other."""
    for key in range(4):
        assert await writer.put(source, [position(key)]) == IngestOutcome(1, 0, [])


@pytest.fixture
def patient(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> Writer:
    """One that would wait for an hour."""
    monkeypatch.setattr("pannier.devices.writer.GATHER_SECONDS", 3600)
    return writer


async def test_who_came_together_are_waited_for_until_all_are_there(
    acme: Firm, patient: Writer
) -> None:
    one, other = await device(acme), await device(acme)
    await asyncio.gather(send_many(patient, one.own), send_many(patient, other.own))
    stored = await acme.house.value("select array_agg(events) from device_batches")
    assert stored == [2, 2, 2, 2]


async def test_who_came_alone_waits_for_nobody(acme: Firm, patient: Writer) -> None:
    one, other = await device(acme), await device(acme)
    busy = asyncio.Event()

    async def send_first() -> None:
        asyncio.get_running_loop().call_soon(busy.set)
        await send_many(patient, one.own)

    async def send_meanwhile() -> None:
        await busy.wait()
        await send_many(patient, other.own)

    await asyncio.gather(send_first(), send_meanwhile())
    stored = await acme.house.value("select array_agg(events) from device_batches")
    assert stored == [1] * 8


async def test_who_brings_much_waits_for_nobody(acme: Firm, patient: Writer) -> None:
    one, other = await device(acme), await device(acme)
    await asyncio.gather(*(patient.put(each.own, [position(1)]) for each in (one, other)))
    much = [position(key) for key in range(10, 10 + MIN_EVENTS_TO_FLUSH)]
    assert await patient.put(one.own, much) == IngestOutcome(MIN_EVENTS_TO_FLUSH, 0, [])


async def test_who_comes_when_too_much_waits_is_sent_back_and_nothing_else_is(
    acme: Firm, writer: Writer
) -> None:
    one = await device(acme)
    puts = [
        writer.put(one.own, [position(key * 100 + each) for each in range(40)]) for key in range(4)
    ]
    outcomes = await asyncio.gather(*puts, return_exceptions=True)
    assert outcomes[:2] == [IngestOutcome(40, 0, [])] * 2
    assert [type(each) for each in outcomes[2:]] == [Busy, Busy]
    assert isinstance(outcomes[2], Busy)
    assert outcomes[2].headers["Retry-After"] == "2"
    assert writer.waiting_events == 0
    assert await writer.put(one.own, [position(1000)]) == IngestOutcome(1, 0, [])


async def test_who_has_little_waiting_is_not_sent_back_for_what_others_have(
    acme: Firm, rival: Firm, writer: Writer
) -> None:
    ours, theirs = await device(acme), await device(rival)
    much = [
        writer.put(ours.own, [position(key * 100 + each) for each in range(50)]) for key in (1, 2)
    ]
    little = [
        writer.put(theirs.own, [position(key * 100 + each) for each in range(12)])
        for key in (1, 2, 3)
    ]
    outcomes = await asyncio.gather(
        *much, writer.put(ours.own, [position(1)]), *little, return_exceptions=True
    )
    stored = [each.accepted if isinstance(each, IngestOutcome) else type(each) for each in outcomes]
    assert stored == [50, 50, Busy, 12, 12, Busy]
    assert writer.waiting_events == 0
    assert await writer.put(ours.own, [position(1)]) == IngestOutcome(1, 0, [])


async def test_what_cannot_be_stored_is_refused_and_its_neighbours_are_stored(
    acme: Firm, writer: Writer
) -> None:
    one, other = await device(acme), await device(acme)
    poison = position(3, type="no text holds a \0", name=one.public_id)
    outcomes = await asyncio.gather(
        writer.put(other.own, [position(1)]),
        writer.put(one.own, [position(1), position(2), poison, position(4)]),
    )
    assert outcomes[0] == IngestOutcome(1, 0, [])
    assert (outcomes[1].accepted, outcomes[1].duplicates) == (3, 0)
    assert [(each.index, each.code) for each in outcomes[1].refusals] == [(2, "unstorable")]
    (named, body) = await acme.house.value("select array[named, body::text] from device_rejects")
    assert named == one.public_id
    assert b"no text holds" in bytes.fromhex(body.removeprefix("\\x"))


async def test_who_sends_very_much_that_cannot_be_stored_spoils_nothing_of_others(
    acme: Firm, rival: Firm, writer: Writer
) -> None:
    one, ours, theirs = await device(acme), await device(acme), await device(rival)
    poison = [position(key, type="no text holds a \0") for key in range(64)]
    before, wrong, after = await asyncio.gather(
        writer.put(ours.own, [position(1)]),
        writer.put(one.own, poison),
        writer.put(theirs.own, [position(1)]),
        return_exceptions=True,
    )
    assert [before, after] == [IngestOutcome(1, 0, []), IngestOutcome(1, 0, [])]
    assert isinstance(wrong, asyncpg.CharacterNotInRepertoireError)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("select pg_sleep(600)", Busy),
        ("do $$ begin raise disk_full; end $$", Busy),
        ("select from nothing_of_that_name", asyncpg.UndefinedTableError),
    ],
)
async def test_no_reading_is_refused_for_what_is_wrong_with_the_database(
    acme: Firm, writer: Writer, monkeypatch: pytest.MonkeyPatch, wrong: str, told: type[Exception]
) -> None:
    one, other, follow = await device(acme), await device(acme), effects.apply

    async def fails(db: Db, fresh: Sequence[ReadingEntry], *rest: Any) -> int:
        if fresh:
            if told is Busy:
                await db.execute("set local statement_timeout = 100")
            await db.execute(wrong)
        return await follow(db, fresh, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(effects, "apply", fails)
        answers = await asyncio.gather(
            writer.put(one.own, [position(1), position(2)]),
            writer.put(other.own, [position(1)]),
            return_exceptions=True,
        )
    assert [type(answer) for answer in answers] == [told, told]
    assert await acme.house.value("select count(*) from device_rejects") == 0
    assert await writer.put(one.own, [position(1), position(2)]) == IngestOutcome(2, 0, [])


@pytest.mark.parametrize(
    "somebody", ["select max(xid) from device_batches", "select 1::int8 << 40"]
)
async def test_a_number_that_a_dead_server_forgot_is_no_sign_that_anything_is_stored(
    acme: Firm, writer: Writer, monkeypatch: pytest.MonkeyPatch, somebody: str
) -> None:
    one, house = await device(acme), acme.house
    await writer.put(one.own, [position(1)])
    number = await house.value(somebody)
    commit, follow, died = house.database.commit, effects.apply, list[Db]()

    async def follows(*args: Any) -> int:
        told = await follow(*args)
        return told if died else number

    async def dies(db: Db) -> None:
        if died:
            await commit(db)
            return
        died.append(db)
        await db.finish(commit=False)
        raise OutcomeUnknown

    monkeypatch.setattr(effects, "apply", follows)
    monkeypatch.setattr(house.database, "commit", dies)
    assert await writer.put(one.own, [position(2)]) == IngestOutcome(1, 0, [])
    assert await house.value("select count(*) from device_events") == 2


async def test_who_leaves_while_it_is_stored_keeps_nobody_else_from_their_answer(
    acme: Firm, writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other, follow, storing = await device(acme), await device(acme), effects.apply, []

    async def follows(*args: Any) -> int:
        storing[0].cancel()
        return await follow(*args)

    monkeypatch.setattr(effects, "apply", follows)
    storing.append(asyncio.create_task(writer.put(one.own, [position(1)])))
    assert await writer.put(other.own, [position(1)]) == IngestOutcome(1, 0, [])
    assert storing[0].cancelled()
    assert writer.waiting_events == 0
    assert await writer.put(one.own, [position(1)]) == IngestOutcome(0, 1, [])


async def test_a_token_that_was_revoked_stores_nothing(acme: Firm, writer: Writer) -> None:
    one = await device(acme)
    gone = one.own._replace(token=one.uuid)
    with pytest.raises(Unauthenticated):
        await writer.put(gone, [position(1)])


async def test_closing_stores_what_waits_and_takes_nothing_more(acme: Firm, writer: Writer) -> None:
    one = await device(acme)
    waiting = asyncio.create_task(writer.put(one.own, [position(1, NOON - timedelta(hours=1))]))
    await asyncio.sleep(0)
    await writer.close()
    assert await waiting == IngestOutcome(1, 0, [])
    with pytest.raises(Busy):
        await writer.put(one.own, [position(2)])
