"""Due messages leave the house once, in time, and without leaving secrets behind."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from pannier.db import Database
from pannier.errors import Conflict
from pannier.kit.clock import ManualClock
from pannier.notifications import sender, service
from pannier.notifications.channels import MAX_IN_FLIGHT, NullChannel, Undeliverable
from pannier.notifications.sender import MessageSender
from probe import refusing_writes
from stage import NOON, Firm

# The fixtures' classes live in conftest, which importlib mode does not let us import.
Recorder = Any
Desk = Any


async def test_a_message_is_sent_after_the_transaction_that_wrote_it(
    desk: Desk, recorder: Recorder
) -> None:
    written = await desk.write("ada@example.com", "Hello.", subject="Greetings", channel="email")
    assert written.state == "due"
    assert await desk.send({"email": recorder})
    assert recorder.delivered == [("ada@example.com", "Greetings", "Hello.")]
    row = await desk.look(written.uuid)
    assert (row.state, row.attempts, row.sent_at, row.error) == ("sent", 1, NOON, None)
    assert row.body == "Hello."


async def test_with_nothing_due_a_step_says_so(desk: Desk, recorder: Recorder) -> None:
    assert not await desk.send({"sms": recorder})


async def test_a_step_touches_only_the_channels_it_is_given(desk: Desk, recorder: Recorder) -> None:
    await desk.write(channel="push")
    assert not await desk.send({"sms": recorder, "email": recorder})


async def test_messages_without_a_provider_lie_readable_in_the_drawer(desk: Desk) -> None:
    written = await desk.write(text="123456 is your code.", secret=True)
    assert await desk.send({"sms": NullChannel()})
    row = await desk.look(written.uuid)
    assert (row.state, row.body, row.sent_at) == ("drawer", "123456 is your code.", None)


async def test_a_secret_text_is_forgotten_once_a_provider_has_it(
    desk: Desk, recorder: Recorder
) -> None:
    written = await desk.write(text="123456 is your code.", secret=True)
    await desk.send({"sms": recorder})
    assert recorder.delivered[0][2] == "123456 is your code."
    assert (await desk.look(written.uuid)).body == "(not kept)"


@pytest.mark.parametrize("state", ["40001", "53000", "53100", "58030", "25006", "57P01"])
async def test_a_message_is_sent_once_though_the_database_is_away_when_it_is_recorded(
    desk: Desk, recorder: Recorder, clock: ManualClock, database_url: str, state: str
) -> None:
    written = await desk.write()
    # The first write leases the message.
    recorder.holding = asyncio.Event()
    outgoing = MessageSender(desk.database, "sms", recorder)
    assert await outgoing.step()
    async with refusing_writes(database_url, "messages", state, times=2):
        recorder.holding.set()
        await outgoing.wait_until_idle()
    row = await desk.look(written.uuid)
    assert (row.state, row.attempts, row.error) == ("sent", 1, None)
    clock.advance(minutes=3)
    assert not await outgoing.step()
    assert len(recorder.delivered) == 1


async def test_a_failed_message_is_tried_again_at_exact_times_and_then_given_up(
    desk: Desk, recorder: Recorder, clock: ManualClock
) -> None:
    written = await desk.write()
    recorder.failing = ConnectionError("no route to the provider")
    for seconds in (10, 60, 300, 1800):
        assert await desk.send({"sms": recorder})
        row = await desk.look(written.uuid)
        assert row.state == "due"
        assert row.due_at == clock.now() + timedelta(seconds=seconds)
        clock.advance(seconds=seconds - 0.001)
        assert not await desk.send({"sms": recorder})
        clock.advance(seconds=0.001)
    assert await desk.send({"sms": recorder})
    row = await desk.look(written.uuid)
    assert (row.state, row.attempts, row.error) == ("failed", 5, "no route to the provider")
    clock.advance(days=1)
    assert not await desk.send({"sms": recorder})


async def test_a_message_that_failed_before_is_sent_when_the_provider_is_back(
    desk: Desk, recorder: Recorder, clock: ManualClock
) -> None:
    written = await desk.write()
    recorder.failing = ConnectionError("away")
    await desk.send({"sms": recorder})
    recorder.failing = None
    clock.advance(seconds=10)
    await desk.send({"sms": recorder})
    row = await desk.look(written.uuid)
    assert (row.state, row.attempts, row.error) == ("sent", 2, None)


async def test_an_undeliverable_message_is_not_tried_again(desk: Desk, recorder: Recorder) -> None:
    written = await desk.write(text="123456 is your code.", secret=True)
    recorder.failing = Undeliverable("There is no such number.")
    await desk.send({"sms": recorder})
    row = await desk.look(written.uuid)
    assert (row.state, row.attempts, row.error) == ("failed", 1, "There is no such number.")
    assert row.body == "(not kept)"


async def test_a_code_that_outlived_itself_is_not_sent(
    desk: Desk, recorder: Recorder, clock: ManualClock
) -> None:
    end = clock.now() + timedelta(minutes=5)
    written = await desk.write(text="123456 is your code.", secret=True, expires_at=end)
    clock.advance(minutes=5)
    assert await desk.send({"sms": recorder})
    assert recorder.delivered == []
    row = await desk.look(written.uuid)
    assert (row.state, row.error, row.attempts) == ("failed", "Expired before it could be sent.", 0)
    assert row.body == "(not kept)"
    assert not await desk.send({"sms": recorder})


async def test_what_expired_by_the_hundred_keeps_nobody_waiting(
    desk: Desk, recorder: Recorder, clock: ManualClock
) -> None:
    end = clock.now() + timedelta(minutes=5)
    for number in range(3 * MAX_IN_FLIGHT):
        await desk.write(text=f"{number} is your code.", secret=True, expires_at=end)
    clock.advance(minutes=5)
    assert await desk.send({"sms": recorder})
    assert recorder.delivered == []
    assert not await desk.send({"sms": recorder})


async def test_a_code_is_still_sent_just_before_it_expires(
    desk: Desk, recorder: Recorder, clock: ManualClock
) -> None:
    await desk.write(expires_at=clock.now() + timedelta(minutes=5))
    clock.advance(seconds=299)
    await desk.send({"sms": recorder})
    assert len(recorder.delivered) == 1


@pytest.mark.slow
async def test_two_workers_never_send_one_message_twice(
    desk: Desk, recorders: Callable[[], Recorder]
) -> None:
    texts = {(await desk.write(text=f"Message {number}")).body for number in range(60)}
    workers = [recorders() for _ in range(4)]

    async def work(recorder: Recorder) -> None:
        while await desk.send({"sms": recorder}):
            pass

    await asyncio.gather(*(work(recorder) for recorder in workers))
    delivered = [text for recorder in workers for _, _, text in recorder.delivered]
    assert len(delivered) == 60
    assert set(delivered) == texts


async def test_a_worker_that_dies_before_recording_leaves_the_message_to_the_next(
    database: Database, desk: Desk, recorder: Recorder, clock: ManualClock
) -> None:
    written = await desk.write()
    recorder.holding = asyncio.Event()
    dying = MessageSender(database, "sms", recorder)
    await dying.step()
    await recorder.arrived.wait()
    await dying.close()
    recorder.holding = None
    assert not await desk.send({"sms": recorder}), "the lease still holds"
    clock.advance(minutes=2)
    assert await desk.send({"sms": recorder})
    assert len(recorder.delivered) == 2
    row = await desk.look(written.uuid)
    assert (row.state, row.attempts) == ("sent", 2)


async def test_a_message_whose_every_attempt_kills_the_worker_is_given_up(
    database: Database, desk: Desk, recorder: Recorder, clock: ManualClock
) -> None:
    written = await desk.write()
    recorder.holding = asyncio.Event()
    for _ in range(5):
        dying = MessageSender(database, "sms", recorder)
        await dying.step()
        await recorder.arrived.wait()
        recorder.arrived.clear()
        await dying.close()
        clock.advance(minutes=2)
    assert await desk.send({"sms": recorder})
    row = await desk.look(written.uuid)
    assert (row.state, row.error) == ("failed", sender.INTERRUPTED)
    assert len(recorder.delivered) == 5


async def test_a_worker_that_comes_back_too_late_does_not_undo_what_another_recorded(
    desk: Desk, recorders: Callable[[], Recorder], clock: ManualClock
) -> None:
    written = await desk.write()
    slow, quick = recorders(), recorders()
    slow.holding = asyncio.Event()
    late = asyncio.create_task(desk.send({"sms": slow}))
    await slow.arrived.wait()
    clock.advance(minutes=2)
    quick.failing = Undeliverable("There is no such number.")
    await desk.send({"sms": quick})
    slow.holding.set()
    await late
    row = await desk.look(written.uuid)
    assert (row.state, row.attempts) == ("failed", 2)


async def test_one_failing_message_does_not_hold_up_the_others(
    desk: Desk, recorder: Recorder, recorders: Callable[[], Recorder]
) -> None:
    broken = recorders()
    broken.failing = RuntimeError("broken")
    await desk.write(channel="push")
    fine = await desk.write(channel="email")
    await desk.send({"push": broken, "email": recorder})
    assert (await desk.look(fine.uuid)).state == "sent"


async def test_neither_logs_nor_errors_tell_a_code(
    desk: Desk, recorder: Recorder, clock: ManualClock,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    written = await desk.write(text="918273 is your code.", secret=True)
    recorder.failing = RuntimeError("cannot say '918273 is your code.'")
    with capture_logs() as logs:
        for _ in range(5):
            await desk.send({"sms": recorder})
            clock.advance(hours=1)
    row = await desk.look(written.uuid)
    assert row.state == "failed"
    assert "918273" not in f"{logs} {caplog.text} {row.error}"
    assert [entry["message"] for entry in logs] == [written.public_id]


async def test_a_rolled_back_transaction_sends_nothing(
    database: Database, acme: Firm, desk: Desk, recorder: Recorder
) -> None:
    with suppress(Conflict):
        async with database.transaction() as db:
            await service.queue_message(db, acme.uuid, "sms", "+6591234567", "Hello.")
            raise Conflict
    assert not await desk.send({"sms": recorder})


async def test_a_message_that_hangs_holds_up_no_other_of_its_channel(
    database: Database, desk: Desk, recorder: Recorder
) -> None:
    recorder.holding = asyncio.Event()
    await desk.write(text="Hangs.")
    working = MessageSender(database, "sms", recorder)
    await working.step()
    await recorder.arrived.wait()
    recorder.holding = None
    quick = await desk.write(text="Quick.")
    await working.step()
    await working.wakeup.wait()
    assert (await desk.look(quick.uuid)).state == "sent"
    await working.close()


async def test_a_code_finds_a_place_however_much_else_hangs(
    database: Database, desk: Desk, recorder: Recorder
) -> None:
    for number in range(2 * MAX_IN_FLIGHT):
        await desk.write(text=f"News {number}.")
    recorder.holding = asyncio.Event()
    working = MessageSender(database, "sms", recorder)
    while await working.step():
        pass
    code = await desk.write(text="123456 is your code.", secret=True)
    assert await working.step()
    await asyncio.sleep(0)
    assert recorder.delivered[-1][2] == "123456 is your code."
    recorder.holding.set()
    await working.wait_until_idle()
    assert (await desk.look(code.uuid)).state == "sent"


async def test_a_companys_thousand_messages_leave_room_for_anothers(
    database: Database, desk: Desk, rival: Firm, recorder: Recorder
) -> None:
    for number in range(2 * MAX_IN_FLIGHT):
        await desk.write(text=f"Flood {number}.")
    recorder.holding = asyncio.Event()
    working = MessageSender(database, "sms", recorder)
    while await working.step():
        pass
    async with database.transaction() as db:
        await service.queue_message(db, rival.uuid, "sms", "+6598765432", "Rival's own.")
    assert await working.step()
    await asyncio.sleep(0)
    assert recorder.delivered[-1][2] == "Rival's own."
    await working.close()
