"""What happened is told once, in the transaction in which it happened."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

import msgspec
import pytest

from pannier.db import Db
from pannier.events import outbox, relay, sweep
from pannier.events.catalog import CATALOG, MONEY_CATALOG, Name
from pannier.events.models import Event
from pannier.kit.clock import ManualClock
from pannier.webhooks import fanout
from stage import Firm, House


class Data(msgspec.Struct):
    id: str
    status: str = "dispatched"


async def emit(firm: Firm, name: Name = Name.ORDER_DISPATCHED, subject: str = "order_1") -> Event:
    async with firm.house.database.transaction() as db:
        return await outbox.emit(db, firm.uuid, name, Data(subject), subject=subject)


async def test_the_catalogue_is_the_nineteen_names_of_the_contract_in_four_groups() -> None:
    assert [entry.name for entry in CATALOG] == list(Name)[:19]
    assert len(CATALOG) == 19
    assert list(dict.fromkeys(entry.group for entry in CATALOG)) == [
        "Orders", "Drivers", "Tracking", "Fleet",
    ]  # fmt: skip


async def test_events_about_money_are_a_second_list() -> None:
    assert [str(entry.name) for entry in MONEY_CATALOG] == [
        "transaction.created", "transaction.paid", "transaction.refunded", "transaction.voided",
        "charge.created", "cash.collected", "invoice.issued",
    ]  # fmt: skip
    assert [entry.name for entry in (*CATALOG, *MONEY_CATALOG)] == list(Name)
    assert {entry.group for entry in MONEY_CATALOG} == {"Money"}


async def test_an_event_carries_the_envelope_of_the_contract(acme: Firm) -> None:
    event = await emit(acme)
    shown = (await acme.admin.get(f"/int/v1/events/{event.public_id}")).json()
    assert shown["body"] == {
        "event": "order.dispatched",
        "api_version": "1.0",
        "created_at": "2026-01-15T12:00:00.000Z",
        "data": {"id": "order_1", "status": "dispatched"},
        "id": event.public_id,
    }
    assert list(msgspec.json.decode(event.body)) == [
        "event", "api_version", "created_at", "data", "id",
    ]  # fmt: skip


async def test_what_is_rolled_back_was_never_told(acme: Firm, house: House) -> None:
    async def fail_after_telling() -> None:
        async with house.database.transaction() as db:
            await outbox.emit(db, acme.uuid, Name.ORDER_CREATED, Data("order_1"), subject="order_1")
            raise RuntimeError("the order could not be saved")

    with pytest.raises(RuntimeError):
        await fail_after_telling()
    assert (await acme.admin.get("/int/v1/events")).json()["data"] == []


async def test_the_log_is_filtered_by_name_subject_and_time(acme: Firm, clock: ManualClock) -> None:
    await emit(acme, Name.ORDER_CREATED, "order_1")
    clock.advance(hours=1)
    await emit(acme, Name.DRIVER_ONLINE, "driver_1")
    clock.advance(hours=1)
    await emit(acme, Name.ORDER_COMPLETED, "order_1")

    async def names(query: str) -> list[str]:
        answer = await acme.admin.get(f"/int/v1/events?{query}")
        assert answer.status_code == 200, answer.text
        return [row["event"] for row in answer.json()["data"]]

    assert await names("") == ["order.completed", "driver.online", "order.created"]
    assert await names("event=driver.online") == ["driver.online"]
    assert await names("event[]=driver.online&event[]=order.created") == [
        "driver.online", "order.created",
    ]  # fmt: skip
    assert await names("subject=order_1") == ["order.completed", "order.created"]
    assert await names("since=2026-01-15T12:30:00Z&until=2026-01-15T13:30:00Z") == ["driver.online"]


async def test_the_log_is_filtered_by_a_subjects_public_id_and_by_its_uuid(
    acme: Firm, rival: Firm
) -> None:
    made = (await acme.api.post("/v1/drivers", json={"name": "Ada", "phone": "+6591234567"})).json()
    await acme.api.post("/v1/drivers", json={"name": "B", "phone": "+6591234568", "online": True})
    await acme.api.patch(f"/v1/drivers/{made['id']}", json={"name": "Ada King", "online": True})
    for subject in (made["id"], made["uuid"], made["uuid"].upper()):
        shown = (await acme.admin.get(f"/int/v1/events?subject={subject}")).json()["data"]
        assert [row["event"] for row in shown] == ["driver.online", "driver.updated"], subject
        assert (await rival.admin.get(f"/int/v1/events?subject={subject}")).json()["data"] == []
    nobody = "subject=00000000-0000-7000-8000-000000000000"
    assert (await acme.admin.get(f"/int/v1/events?{nobody}")).json()["data"] == []


async def test_an_orders_events_are_its_number_too_by_either_identifier(acme: Firm) -> None:
    body = {"pickup": "1 Raffles Place", "dropoff": "80 Mandai Lake Road"}
    order = (await acme.api.post("/v1/orders", json=body)).json()
    for subject in (order["id"], order["uuid"]):
        shown = (await acme.admin.get(f"/int/v1/events?subject={subject}")).json()["data"]
        names = sorted(row["event"] for row in shown)
        assert names == ["order.created", "tracking_number.created"], subject


class Snapshot(msgspec.Struct):
    public_id: str
    uuid: UUID


async def test_the_uuid_of_something_else_in_the_data_is_not_the_subjects(acme: Firm) -> None:
    order, number = (UUID(int=digit) for digit in (1, 2))
    data = Snapshot("track_1", number)
    for known in (None, order):
        async with acme.house.database.transaction() as db:
            await outbox.emit(
                db, acme.uuid, Name.TRACKING_NUMBER_CREATED, data,
                subject="order_1", subject_uuid=known,
            )  # fmt: skip

    async def count(subject: object) -> int:
        return len((await acme.admin.get(f"/int/v1/events?subject={subject}")).json()["data"])

    assert (await count("order_1"), await count(order), await count(number)) == (2, 1, 0)


async def test_another_company_neither_lists_nor_reads_an_event(acme: Firm, rival: Firm) -> None:
    event = await emit(acme)
    assert (await rival.admin.get("/int/v1/events")).json()["data"] == []
    assert (await rival.admin.get(f"/int/v1/events/{event.public_id}")).status_code == 404


class Listener:
    """Remembers which events it was handed."""

    def __init__(self) -> None:
        self.heard: list[UUID] = []

    async def __call__(self, db: Db, events: Sequence[Event]) -> None:
        await db.fetch_value("select 1")
        self.heard += [event.uuid for event in events]


async def test_the_relay_hands_every_event_to_every_subscriber_once(
    acme: Firm, house: House
) -> None:
    told = [(await emit(acme, subject=f"order_{number}")).uuid for number in range(5)]
    first, second = Listener(), Listener()
    assert await relay.Relay(house.database, [first, second]).step()
    assert not await relay.Relay(house.database, [first, second]).step()
    assert first.heard == second.heard == told


def test_a_relay_takes_at_most_twice_as_many_while_more_wait_than_it_takes() -> None:
    assert (
        relay.next_batch_size(
            relay.INITIAL_BATCH_SIZE, relayed=relay.INITIAL_BATCH_SIZE, rows_written=0
        )
        == 2 * relay.INITIAL_BATCH_SIZE
    )
    assert (
        relay.next_batch_size(
            relay.MAX_BATCH_SIZE, relayed=relay.MAX_BATCH_SIZE, rows_written=relay.MAX_BATCH_SIZE
        )
        == relay.MAX_BATCH_SIZE
    )
    assert relay.next_batch_size(1, relayed=1, rows_written=2) == 2
    assert (
        relay.next_batch_size(relay.MAX_BATCH_SIZE, relayed=3, rows_written=0)
        == relay.INITIAL_BATCH_SIZE
    )
    assert (
        relay.next_batch_size(relay.MAX_BATCH_SIZE, relayed=0, rows_written=0)
        == relay.INITIAL_BATCH_SIZE
    )


def test_where_events_become_many_rows_fewer_are_taken_at_once() -> None:
    assert relay.next_batch_size(100, relayed=100, rows_written=10 * relay.MAX_ROWS_WRITTEN) == 10
    assert relay.next_batch_size(1, relayed=1, rows_written=10 * relay.MAX_ROWS_WRITTEN) == 1
    assert relay.next_batch_size(100, relayed=2, rows_written=relay.MAX_ROWS_WRITTEN // 10) == 20


async def test_a_relay_goes_by_what_it_has_last_told(acme: Firm, house: House) -> None:
    for path in range(20):
        url = f"https://hooks.example.com/{path}"
        made = await acme.admin.post("/int/v1/webhooks", json={"url": url})
        assert made.status_code == 201, made.text
    for number in range(2):
        await emit(acme, subject=f"order_{number}")
    working = relay.Relay(house.database, [fanout.create_deliveries])
    assert await working.step()
    assert working.batch_size == relay.MAX_ROWS_WRITTEN // (20 * 2)
    assert not await working.step()
    assert working.batch_size == relay.INITIAL_BATCH_SIZE


async def test_a_relay_that_fails_tries_fewer_events_the_next_time(
    acme: Firm, house: House
) -> None:
    told = [(await emit(acme, subject=f"order_{number}")).uuid for number in range(3)]
    batches, listener = [], Listener()

    async def overwhelmed(db: Db, events: Sequence[Event]) -> None:
        batches.append(len(events))
        if len(events) > 1:
            raise ConnectionError("not so many")
        await listener(db, events)

    working = relay.Relay(house.database, [overwhelmed])
    working.batch_size = 4
    for _ in range(2):
        with pytest.raises(ConnectionError):
            await working.step()
    assert await working.step()
    assert (batches, listener.heard) == ([3, 2, 1], told[:1])


async def test_relays_working_at_once_share_the_events_and_repeat_none(
    acme: Firm, house: House
) -> None:
    told = {(await emit(acme, subject=f"order_{number}")).uuid for number in range(60)}
    listeners = [Listener() for _ in range(4)]

    async def work(listener: Listener) -> None:
        while await relay.Relay(house.database, [listener]).step():
            pass

    await asyncio.gather(*(work(listener) for listener in listeners))
    heard = [uuid for listener in listeners for uuid in listener.heard]
    assert sorted(heard) == sorted(told)


async def test_an_event_committed_late_is_relayed_though_younger_ones_went_before(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    listener = Listener()
    async with house.database.transaction() as slow:
        late = await outbox.emit(slow, acme.uuid, Name.ORDER_CREATED, Data("a"), subject="a")
        clock.advance(seconds=1)
        early = await emit(acme, subject="b")
        assert await relay.Relay(house.database, [listener]).step()
        assert listener.heard == [early.uuid]
    assert await relay.Relay(house.database, [listener]).step()
    assert listener.heard == [early.uuid, late.uuid]


async def test_while_nobody_is_to_blame_the_events_wait_for_the_next_time(
    acme: Firm, house: House
) -> None:
    event = await emit(acme)

    async def failing(_db: Db, _events: Sequence[Event]) -> None:
        raise ConnectionError("not now")

    with pytest.raises(ConnectionError):
        await relay.Relay(house.database, [failing]).step()
    listener = Listener()
    assert await relay.Relay(house.database, [listener]).step()
    assert listener.heard == [event.uuid]


async def test_events_leave_the_log_after_their_keeping_time_and_never_unrelayed(
    acme: Firm, house: House, clock: ManualClock
) -> None:
    await emit(acme, subject="relayed")
    await relay.Relay(house.database, []).step()
    await emit(acme, subject="unrelayed")
    clock.advance(days=91)
    while await sweep.step(house.database, timedelta(days=90), "false"):
        pass
    assert await house.value("select string_agg(subject, ',') from events") == "unrelayed"
