"""Whoever runs an endpoint that fails hears of it: before it is switched off, and when."""

import asyncio
from uuid import UUID

import pytest

from pannier.kit.clock import ManualClock
from pannier.webhooks import switch
from pannier.webhooks.models import AttemptResult
from stage import Firm
from webhooks.office import Office, Request, answering

SECRET_URL = "https://hooks.example.com/T0PSECRET"


@pytest.fixture
async def office(acme: Firm) -> Office:
    office = Office.of(acme)
    await acme.operator("viewer")
    await office.register(url=SECRET_URL)
    office.receivers.answer = lambda _: answering(500)
    return office


async def days_of_failures(office: Office, clock: ManualClock, days: int) -> None:
    """Let something happen every eight hours, and all of it fail."""
    for number in range(days * 3):
        await office.tell(subject=f"order_{clock.now():%d%H}_{number}")
        await office.work()
        clock.advance(hours=8)


async def mails(office: Office) -> list[str]:
    found = await office.firm.house.value(
        """select array_agg(channel || ' to ' || recipient || ': ' || subject order by created_at)
           from messages"""
    )
    return found or []


async def actions(office: Office) -> list[str]:
    rows = (await office.firm.admin.get("/int/v1/audit")).json()["data"][::-1]
    told = {"webhook.failing", "webhook.disabled"}
    return [row["action"] for row in rows if row["action"] in told]


@pytest.mark.slow
async def test_admins_hear_once_that_an_endpoint_keeps_failing_and_once_that_it_is_off(
    office: Office, clock: ManualClock
) -> None:
    admin = office.firm.email("admin")
    await days_of_failures(office, clock, 1)
    assert await mails(office) == []
    await days_of_failures(office, clock, 1)
    failing = f"email to {admin}: Webhook to hooks.example.com is failing"
    assert await mails(office) == [failing]
    await days_of_failures(office, clock, 5)
    off = f"email to {admin}: Webhook to hooks.example.com was disabled"
    assert await mails(office) == [failing, off]
    assert await actions(office) == ["webhook.failing", "webhook.disabled"]
    bodies = await office.firm.house.value("select string_agg(body, '') from messages")
    assert "has succeeded since 2026-01-15 12:00 UTC." in bodies
    assert "T0PSECRET" not in bodies


@pytest.mark.slow
async def test_an_endpoint_that_recovers_and_fails_again_is_told_of_anew(
    office: Office, clock: ManualClock
) -> None:
    await days_of_failures(office, clock, 2)
    office.receivers.answer = lambda _: answering(200)
    await days_of_failures(office, clock, 1)
    office.receivers.answer = lambda _: answering(500)
    await days_of_failures(office, clock, 2)
    assert await actions(office) == ["webhook.failing", "webhook.failing"]


@pytest.mark.slow
async def test_what_failed_at_an_address_does_not_count_against_the_next_one(
    office: Office, clock: ManualClock
) -> None:
    await days_of_failures(office, clock, 5)
    (webhook,) = (await office.firm.admin.get("/int/v1/webhooks")).json()["data"]
    at = f"/int/v1/webhooks/{webhook['id']}"
    moved = await office.firm.admin.patch(at, json={"url": "https://moved.example.com/hooks"})
    assert moved.json()["health"]["failing_since"] is None
    async with office.firm.house.database.transaction() as db:
        # Who counted the last failure comes to switch it off only now.
        assert await switch.disable_webhook(db, UUID(webhook["uuid"]), switch.FAILING) is None
    clock.advance(hours=8)
    await office.work()
    shown = (await office.firm.admin.get(at)).json()
    assert shown["state"] == "enabled"
    assert shown["health"]["failing_since"] == "2026-01-20T20:00:00.000Z"


async def test_admins_hear_at_once_of_an_endpoint_that_is_gone(office: Office) -> None:
    office.receivers.answer = lambda _: answering(410)
    await office.tell()
    await office.work()
    (mail,) = await mails(office)
    assert mail.endswith("Webhook to hooks.example.com was disabled")
    body = await office.firm.house.value("select body from messages")
    assert "responded with 410" in body


async def test_nobody_hears_of_an_endpoint_that_was_deleted_meanwhile(
    office: Office, clock: ManualClock
) -> None:
    await days_of_failures(office, clock, 1)
    (webhook,) = (await office.firm.admin.get("/int/v1/webhooks")).json()["data"]

    async def deleted(_: Request) -> AttemptResult:
        await office.firm.admin.delete(f"/int/v1/webhooks/{webhook['id']}")
        return answering(500)

    office.receivers.answer = deleted
    await days_of_failures(office, clock, 1)
    assert await mails(office) == []


WAITING = """select pid from pg_stat_activity
             where datname = current_database() and wait_event_type = 'Lock'"""


@pytest.mark.slow
async def test_an_announcement_that_fails_is_made_again_and_counts_no_failure_twice(
    office: Office, clock: ManualClock
) -> None:
    await days_of_failures(office, clock, 1)
    house = office.firm.house
    async with asyncio.TaskGroup() as group, house.database.transaction() as db:
        await db.execute("lock table messages in access exclusive mode")
        group.create_task(days_of_failures(office, clock, 1))
        while not (waiting := await house.value(WAITING)):  # noqa: ASYNC110 - it is the server's
            await asyncio.sleep(0.01)
        await db.fetch_value("select pg_terminate_backend(:pid)", pid=waiting)
    assert len(await mails(office)) == 1
    attempts = await house.value("select count(*) from webhook_attempts")
    assert await house.value("select failures from webhook_health") == attempts
