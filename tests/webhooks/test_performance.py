"""How the latest attempts to reach a webhook went, by the interface."""

from typing import Any

import pytest

from pannier.webhooks import queries
from stage import Firm
from webhooks.office import Office, answering
from webhooks.test_plans import explained


@pytest.fixture
def office(acme: Firm) -> Office:
    return Office.of(acme)


async def performance(firm: Firm, webhook: str) -> dict[str, Any]:
    answer = await firm.admin.get(f"/int/v1/webhooks/{webhook}/performance")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_of_a_webhook_that_nothing_was_sent_to_there_is_nothing_to_say(
    acme: Firm, office: Office
) -> None:
    told = await performance(acme, (await office.register())["id"])
    assert (told["deliveries"], told["attempts"], told["succeeded"]) == (0, 0, 0)
    assert (told["median_ms"], told["slow_ms"], told["complete"]) == (None, None, True)


async def test_attempts_of_the_last_day_are_counted(acme: Firm, office: Office) -> None:
    webhook = await office.register()
    await office.tell(subject="order_old")
    await office.work()
    acme.house.clock.advance(days=1, minutes=1)
    office.receivers.answer = lambda _: answering(500, phases={"total": 30.0})
    await office.tell(subject="order_1")
    await office.work()
    office.receivers.answer = lambda _: answering(200, phases={"total": 10.0})
    await office.tell(subject="order_2")
    await office.work()
    told = await performance(acme, webhook["id"])
    assert (told["deliveries"], told["attempts"], told["succeeded"]) == (2, 2, 1)
    assert (told["median_ms"], told["slow_ms"]) == (20.0, 29.0)


async def test_of_a_long_day_the_latest_are_read_and_no_more(acme: Firm, office: Office) -> None:
    webhook = await office.register()
    async with acme.house.database.transaction() as db:
        await db.execute(
            """insert into webhook_deliveries
                   (uuid, company, webhook, body, name, subject, thread, sequence, created_at)
               select gen_random_uuid(), company, uuid, '', 'order.created', 'order_1', 'order_1',
                      number, :now::timestamptz - number * interval '1 second'
               from webhooks, generate_series(1, 3000) number""",
            now=db.now,
        )
        await db.execute("analyze webhook_deliveries")
        await db.execute("set local enable_seqscan = off")  # As if it were longer.
        values = await db.fetch_value("select array[company, uuid] from webhooks")
        since = db.now - queries.DAY
        read = await explained(
            db, queries.PERFORMANCE, company=values[0], webhook=values[1], since=since, limit=20
        )
    assert read < 100
    told = await performance(acme, webhook["id"])
    assert (told["deliveries"], told["complete"]) == (1000, False)


async def test_anothers_is_not_found(rival: Firm, office: Office) -> None:
    webhook = await office.register()
    answer = await rival.admin.get(f"/int/v1/webhooks/{webhook['id']}/performance")
    assert answer.status_code == 404


async def test_a_delivery_tells_how_long_it_waits_between_its_attempts(office: Office) -> None:
    await office.register()
    await office.tell()
    await office.relay()
    (row,) = await office.deliveries()
    assert (await office.delivery(row["id"]))["retry_delays"] == [300, 1800, 7200, 28800]
