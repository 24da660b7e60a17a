"""Data are kept as long as their company wants, and never longer than the installation."""

from datetime import timedelta
from typing import Any

import pytest

from fleet.depot import Depot
from pannier.accounts.sweep import AUDIT
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.accounts.tokens.models import Holder
from pannier.db import Database
from pannier.db.retention import RetentionSweep
from pannier.events import relay
from pannier.events import sweep as events
from pannier.kit.clock import ManualClock
from pannier.notifications import service as notifications
from pannier.notifications.sweep import MESSAGES
from pannier.webhooks import fanout
from pannier.webhooks import sweep as webhooks
from stage import Firm

MOST = timedelta(days=90)


async def say(firm: Firm) -> None:
    async with firm.house.database.transaction() as db:
        await notifications.queue_message(db, firm.uuid, "push", "device", "Hello.")
        await db.execute("update messages set state = 'drawer'")


async def travel(firm: Firm) -> None:
    driver = await Depot(firm).driver()
    await firm.api.post(
        f"/v1/drivers/{driver['id']}/track", json={"latitude": 1.35, "longitude": 103.8}
    )


async def happen(firm: Firm) -> None:
    await travel(firm)
    while await relay.Relay(firm.house.database, []).step():
        pass


async def administer(firm: Firm) -> None:
    await firm.admin.post("/int/v1/keys", json={"kind": "api", "name": "Short-lived"})


async def sweep_events(database: Database, keep: timedelta) -> bool:
    return await events.step(database, keep, webhooks.NEEDS_EVENT)


# What makes a row of a class of data, the table it is in, and what forgets it.
CLASSES: dict[str, tuple[Any, str, Any]] = {
    "messages": (say, "messages", MESSAGES.delete_batch),
    "events": (happen, "events", sweep_events),
    "audit": (administer, "audit_entries", AUDIT.delete_batch),
}


async def keep(firm: Firm, **days: Any) -> None:
    answer = await firm.admin.patch("/int/v1/settings", json={"retention": days})
    assert answer.status_code == 200, answer.text


async def kept(firm: Firm, table: str, step: Any) -> int:
    while await step(firm.house.database, MOST):
        pass
    sql = f"select count(*) from {table} where company = :company"
    count: int = await firm.house.value(sql, company=firm.uuid)
    return count


@pytest.mark.parametrize("kind", CLASSES)
async def test_each_company_keeps_data_as_long_as_it_wants(
    acme: Firm, rival: Firm, clock: ManualClock, kind: str
) -> None:
    make, table, step = CLASSES[kind]
    await keep(acme, **{kind: 7})
    for firm in (acme, rival):
        await make(firm)
    clock.advance(days=6)
    assert await kept(acme, table, step) > 0
    assert await kept(rival, table, step) > 0
    clock.advance(days=2)
    assert await kept(acme, table, step) == 0
    assert await kept(rival, table, step) > 0
    clock.advance(days=90)
    assert await kept(rival, table, step) == 0


async def test_an_event_that_was_delivered_is_kept_no_longer_than_its_company_wants(
    acme: Firm, clock: ManualClock
) -> None:
    database = acme.house.database
    await keep(acme, events=7)
    shown = (await acme.admin.get("/int/v1/settings")).json()["retention"]
    assert (shown["events"], shown["webhook_log"]) == (7, 7)
    await acme.admin.post("/int/v1/webhooks", json={"url": "https://93.184.216.34/hook"})
    await travel(acme)
    await relay.Relay(database, [fanout.create_deliveries]).step()
    async with database.transaction() as db:
        assert await db.execute("delete from webhook_queue") > 0
    clock.advance(days=6)
    assert await kept(acme, "webhook_deliveries", webhooks.step) > 0
    clock.advance(days=2)
    assert await kept(acme, "webhook_deliveries", webhooks.step) == 0
    assert await kept(acme, "events", sweep_events) == 0


async def test_ended_tokens_are_kept_as_long_as_their_company_wants(
    acme: Firm, clock: ManualClock
) -> None:
    await keep(acme, tokens=3)
    database = acme.house.database
    holder = Holder(acme.uuid, "device", acme.uuid, "device_7")
    async with database.transaction() as db:
        await tokens.create_token(db, holder, "test", SigninOrigin(), lifetime=timedelta(days=1))
    swept = RetentionSweep("tokens", "tokens", time_column="ends_at")
    clock.advance(days=3, hours=23)
    assert not await swept.delete_batch(database, MOST)
    clock.advance(hours=2)
    assert await swept.delete_batch(database, MOST)


async def test_nothing_is_kept_longer_than_the_installation_allows(
    acme: Firm, clock: ManualClock
) -> None:
    await keep(acme, messages=80)
    await say(acme)
    clock.advance(days=31)
    assert await MESSAGES.delete_batch(acme.house.database, timedelta(days=30))
    assert await kept(acme, "messages", MESSAGES.delete_batch) == 0
