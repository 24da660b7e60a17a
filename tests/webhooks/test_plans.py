"""What lies behind a thread, and what waits in it, costs nothing: it is not read each time."""

from typing import Any

import msgspec
import pytest

from pannier.db import Db, Where
from pannier.events import relay
from pannier.events.catalog import Name
from pannier.webhooks import fanout, queries, queue, reaping, replays, sweep
from pannier.webhooks.metrics import SENDING
from pannier.webhooks.models import AttemptResult
from pannier.webhooks.schedule import NextStep
from stage import Firm
from webhooks.office import Office

DRIVER = "driver_1"
HISTORY = 3000


@pytest.fixture
async def office(acme: Firm) -> Office:
    """An office that has told of a driver's places for a long time."""
    office = Office.of(acme)
    await office.register()
    async with acme.house.database.transaction() as db:
        await db.execute(
            """insert into webhook_deliveries
                   (uuid, company, webhook, body, name, subject, thread, sequence,
                    created_at)
               select gen_random_uuid(), company, uuid, '', :name, :driver,
                      :driver, number, :now
               from webhooks, generate_series(1, :count) number""",
            now=db.now,
            name=str(Name.DRIVER_LOCATION_CHANGED),
            driver=DRIVER,
            count=HISTORY,
        )
    await office.tell(Name.DRIVER_LOCATION_CHANGED, DRIVER)
    await office.relay()
    return office


def touched(plan: dict[str, Any]) -> int:
    """Add up the rows that a plan read from tables, for nothing or not."""
    own = sum(float(plan.get(name, 0)) for name in plan if name.startswith("Rows Removed"))
    if "Relation Name" in plan and "Scan" in plan["Node Type"]:
        own += float(plan["Actual Rows"])
    return int(own * int(plan["Actual Loops"])) + sum(map(touched, plan.get("Plans", [])))


READ_FROM_QUEUE = """select pg_stat_get_xact_tuples_returned('webhook_queue'::regclass)
                            + pg_stat_get_xact_tuples_fetched('webhook_queue'::regclass)"""


async def explained(db: Db, sql: str, **values: Any) -> int:
    text = await db.fetch_value(f"explain (analyze, format json) {sql}", **values)
    (found,) = msgspec.json.decode(text) if isinstance(text, str) else text
    return touched(found["Plan"])


async def test_taking_a_delivery_reads_nothing_that_has_ended(office: Office) -> None:
    async with office.firm.house.database.transaction() as db:
        webhook = await db.fetch_value("select uuid from webhooks")
        await db.prefer_indexes()
        read = await explained(
            db,
            queue.LEASE_DUE,
            lease=queue.LEASE_MARGIN,
            sender=1,
            claim=db.new_uuid(),
            finished_claims=[],
            webhooks=[webhook],
            slots=[10],
        )
        assert (
            await db.fetch_value("select count(*) from webhook_queue where sender is not null") == 1
        )
    assert read < 20


async def test_giving_way_to_a_later_place_reads_nothing_that_has_ended(office: Office) -> None:
    async with office.firm.house.database.transaction() as db:
        webhook = await db.fetch_value("select uuid from webhooks")
        read = await explained(
            db,
            fanout.SUPERSEDE,
            now=db.now,
            webhooks=[webhook],
            threads=[DRIVER],
            names=[str(Name.DRIVER_LOCATION_CHANGED)],
        )
        gone = "select count(*) from webhook_deliveries where state = 'superseded'"
        assert await db.fetch_value(gone) == 1
    assert read < 20


# As they are found when nothing waits, which is when the planner mostly looks.
EMPTIED = """update pg_class set relpages = 8, reltuples = 0
             where relname in
                 ('webhook_queue', 'webhook_deliveries', 'webhook_attempts', 'events')"""
BELIEFS = pytest.mark.parametrize("emptied", [False, True], ids=["known", "taken for empty"])


@pytest.fixture
async def crowd(acme: Firm) -> Office:
    """An office where three hundred wait in three threads."""
    office = Office.of(acme)
    await office.register()
    for number in range(300):
        await office.tell(Name.ORDER_UPDATED, f"order_{number % 3}", number)
    await office.relay()
    return office


@pytest.mark.slow
@BELIEFS
async def test_taking_costs_the_same_however_long_the_threads_are(
    crowd: Office, *, emptied: bool
) -> None:
    async with crowd.firm.house.database.transaction() as db:
        if emptied:
            await db.execute(EMPTIED)
        webhook = await db.fetch_value("select uuid from webhooks")
        await db.prefer_indexes()
        read = await explained(
            db,
            queue.LEASE_DUE,
            lease=queue.LEASE_MARGIN,
            sender=1,
            claim=db.new_uuid(),
            finished_claims=[],
            webhooks=[webhook],
            slots=[10],
        )
        heads = await db.fetch_value("select count(*) from webhook_queue where sender is not null")
        await db.execute("rollback and chain")  # What was said of the tables is not kept.
    assert heads == 3
    assert read < 20


@BELIEFS
async def test_relaying_reads_no_events_but_those_that_are_new(
    crowd: Office, *, emptied: bool
) -> None:
    for number in range(5):
        await crowd.tell(subject=f"order_{number}")
    async with crowd.firm.house.database.transaction() as db:
        if emptied:
            await db.execute(EMPTIED)
        await db.prefer_indexes()
        read = await explained(db, relay.TAKE_BATCH, batch=relay.MAX_BATCH_SIZE, now=db.now)
        left = await db.fetch_value("select count(*) from event_queue")
        await db.execute("rollback and chain")  # What was said of the tables is not kept.
    assert left == 0
    assert read < 30


@BELIEFS
async def test_giving_way_to_later_places_reads_nothing_else_that_waits(
    crowd: Office, *, emptied: bool
) -> None:
    drivers = [f"driver_{number}" for number in range(4)]
    for driver in drivers:
        await crowd.tell(Name.DRIVER_LOCATION_CHANGED, driver)
    await crowd.relay()
    async with crowd.firm.house.database.transaction() as db:
        if emptied:
            await db.execute(EMPTIED)
        webhook = await db.fetch_value("select uuid from webhooks")
        await db.prefer_indexes()
        read = await explained(
            db,
            fanout.SUPERSEDE,
            now=db.now,
            webhooks=[webhook] * len(drivers),
            threads=drivers,
            names=[str(Name.DRIVER_LOCATION_CHANGED)] * len(drivers),
        )
        left = await db.fetch_value("select count(*) from webhook_queue")
        await db.execute("rollback and chain")  # What was said of the tables is not kept.
    assert left == 300
    assert read < 40


@pytest.mark.slow
@BELIEFS
async def test_whatever_else_touches_the_queue_finds_its_few_rows_by_their_keys(
    crowd: Office, *, emptied: bool
) -> None:
    async with crowd.firm.house.database.transaction() as db:
        webhook, company = await db.fetch_value("select array[uuid, company] from webhooks")
        taken = await queue.lease_deliveries(db, [queue.LaneQuota(webhook, 2, 10)], sender=7)
        if emptied:
            await db.execute(EMPTIED)
        await queue.lock_queues(db, [webhook])
        ended = AttemptResult(outcome="succeeded", status=200)
        done = queue.EndedAttempt(taken[0], NextStep("succeeded", 0, db.now), db.now, ended, {})
        await db.execute("update webhooks set deleted_at = :now", now=db.now)
        few = {"company": company, "uuids": [taken[0].uuid], "now": db.now}
        read = {
            "move": await explained(db, queue.RECORD, **queue._to_parameters([done])),  # noqa: SLF001 - as it is called
            "advance": await explained(db, queue.ADVANCE, webhooks=[webhook], threads=["order_0"]),
            "senders": await explained(db, reaping.LIST_SENDERS),
            "again": await explained(db, replays.REQUEUE, **few, with_queued=True),
            "only if ended": await explained(db, replays.REQUEUE, **few, with_queued=False),
            "standing": await explained(
                db, fanout.LOAD_THREADS, webhooks=[webhook, webhook], threads=["order_0", "order_9"]
            ),
            "forget": await explained(db, sweep.DELETE_OLD, uuids=[taken[0].uuid]),
            "deserted": await explained(db, sweep.FIND_DELETED_WEBHOOK),
            "cancel": await explained(db, sweep.CANCEL, webhook=webhook, batch=2),
        }
        before = await db.fetch_value(READ_FROM_QUEUE)
        assert await reaping.recover_deliveries(db, [7]) == 1
        read["reap"] = await db.fetch_value(READ_FROM_QUEUE) - before
        await db.execute("rollback and chain")  # What was said of the tables is not kept.
    assert {name: count for name, count in read.items() if count >= 20} == {}


async def test_no_statement_of_the_queue_is_compiled_first(acme: Firm) -> None:
    async with acme.house.database.transaction() as db:
        await queue.lock_queues(db, [])
        assert await db.fetch_value("show jit") == "off"
        assert (
            await db.fetch_value("select current_setting('plan_cache_mode')")
            == "force_generic_plan"
        )


@pytest.mark.parametrize(
    "condition",
    [
        f"name = '{Name.ORDER_CREATED}'",
        "end_state = 'cancelled'",
        queries._STATE_CONDITIONS["cancelled"],  # noqa: SLF001 - as it is asked for
    ],
)
async def test_what_is_rare_in_the_log_is_found_without_reading_the_rest(
    office: Office, condition: str
) -> None:
    async with office.firm.house.database.transaction() as db:
        await db.execute("analyze webhook_deliveries")
        company = await db.fetch_value("select company from webhooks")
        await db.execute("set local enable_seqscan = off")  # As if it were longer.
        read = await explained(
            db,
            f"""select uuid from {queries.LOG} where company = :company and {condition}
                order by created_at desc, uuid desc limit 20""",
            company=company,
        )
    assert read < 20


async def test_a_claim_writes_no_entry_of_any_index_of_the_queue(crowd: Office) -> None:
    on_their_pages = "select pg_stat_get_xact_tuples_hot_updated('webhook_queue'::regclass)"
    async with crowd.firm.house.database.transaction() as db:
        webhook = await db.fetch_value("select uuid from webhooks")
        before = await db.fetch_value(on_their_pages)
        assert (
            len(await queue.lease_deliveries(db, [queue.LaneQuota(webhook, 10, 10)], sender=7)) == 3
        )
        assert await db.fetch_value(on_their_pages) - before == 3


async def test_what_is_on_its_way_is_counted_without_reading_what_waits(crowd: Office) -> None:
    async with crowd.firm.house.database.transaction() as db:
        webhook = await db.fetch_value("select uuid from webhooks")
        assert (
            len(await queue.lease_deliveries(db, [queue.LaneQuota(webhook, 10, 10)], sender=7)) == 3
        )
    async with crowd.firm.house.database.transaction() as db:
        assert await db.fetch_value(SENDING) == 3
        assert await explained(db, SENDING) < 20


async def test_what_waits_is_listed_without_reading_what_others_wait_for(
    crowd: Office, rival: Firm
) -> None:
    assert crowd.firm.uuid != rival.uuid
    async with crowd.firm.house.database.transaction() as db:
        await db.execute("analyze webhooks, webhook_queue, webhook_deliveries")
        await db.execute("set local enable_seqscan = off")  # As if it were longer.
        where = queries.filter_by_state(Where(rival.uuid), ["pending"])
        read = await explained(
            db,
            f"select uuid from {queries.LOG} {where} order by created_at desc, uuid desc limit 20",
            **where.values,
        )
    assert read < 20
