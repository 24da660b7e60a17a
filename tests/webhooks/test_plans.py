"""What lies behind a thread, and what waits in it, costs nothing: it is not read each time."""

from typing import Any

import msgspec
import pytest

from pannier.db import Db
from pannier.events.catalog import Name
from pannier.webhooks import fanout, queue
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
                   (uuid, public_id, company, webhook, body, name, subject, thread, sequence,
                    created_at)
               select uuid_of(:now, number), name_of('delivery'), company, uuid, '', :name, :driver,
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


def passed_over(plan: dict[str, Any]) -> int:
    """Add up the rows that a plan read for nothing."""
    own = sum(int(plan.get(name, 0)) for name in plan if name.startswith("Rows Removed"))
    return own * int(plan["Actual Loops"]) + sum(map(passed_over, plan.get("Plans", [])))


async def explained(db: Db, sql: str, **values: Any) -> int:
    text = await db.value(f"explain (analyze, format json) {sql}", **values)
    (found,) = msgspec.json.decode(text) if isinstance(text, str) else text
    return passed_over(found["Plan"])


async def test_taking_a_delivery_reads_nothing_that_has_ended(office: Office) -> None:
    async with office.firm.house.database.transaction() as db:
        webhook = await db.value("select uuid from webhooks")
        await queue.by_index(db)
        for_nothing = await explained(
            db,
            queue.TAKE,
            now=db.now,
            margin=queue.MARGIN,
            sender=1,
            webhooks=[webhook],
            rooms=[10],
            timeouts=[10],
        )
        assert await db.value("select count(*) from webhook_queue where attempt is not null") == 1
    assert for_nothing < 10


async def test_giving_way_to_a_later_place_reads_nothing_that_has_ended(office: Office) -> None:
    async with office.firm.house.database.transaction() as db:
        row = await db.value("select array[uuid, company] from webhooks")
        for_nothing = await explained(
            db,
            fanout.SUPERSEDE,
            now=db.now,
            webhooks=[row[0]],
            companies=[row[1]],
            threads=[DRIVER],
            names=[str(Name.DRIVER_LOCATION_CHANGED)],
        )
        gone = "select count(*) from webhook_deliveries where state = 'superseded'"
        assert await db.value(gone) == 1
    assert for_nothing < 10


@pytest.mark.parametrize("emptied", [False, True], ids=["known", "taken for empty"])
async def test_taking_costs_the_same_however_long_the_threads_are(
    acme: Firm, *, emptied: bool
) -> None:
    office = Office.of(acme)
    await office.register()
    for number in range(300):
        await office.tell(Name.ORDER_UPDATED, f"order_{number % 3}", number)
    await office.relay()
    async with acme.house.database.transaction() as db:
        if emptied:
            # As they are found when nothing waits, which is when the planner mostly looks.
            await db.execute(
                """update pg_class set relpages = 8, reltuples = 0
                   where relname in ('webhook_queue', 'webhook_deliveries', 'events')"""
            )
        webhook = await db.value("select uuid from webhooks")
        await queue.by_index(db)
        for_nothing = await explained(
            db,
            queue.TAKE,
            now=db.now,
            margin=queue.MARGIN,
            sender=1,
            webhooks=[webhook],
            rooms=[10],
            timeouts=[10],
        )
        heads = await db.value("select count(*) from webhook_queue where attempt is not null")
        await db.execute("rollback and chain")  # What was said of the tables is not kept.
    assert heads == 3
    assert for_nothing < 10
