"""A restored installation does nothing until it is resumed, and says what it will do then."""

import asyncio
import io
import sys
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from cli import shell
from orders.shop import Shop
from pannier import worker
from pannier.backups import waiting
from pannier.events import relay
from pannier.files.storage import make_storage
from pannier.jobs import silence
from pannier.kit.clock import ManualClock
from pannier.payments.configuration import make_gateway
from pannier.settings import load
from pannier.subscribers import SUBSCRIBERS
from pannier.webhooks.membership import SoleMember
from pannier.webhooks.sender import WebhookSender
from pannier.webhooks.webhook_client import WebhookClient
from payments.test_configuration import RIGHT
from probe import refused
from stage import NOON, Firm, House

PATIENCE = 20


async def fall_silent(house: House) -> None:
    async with house.database.transaction() as db:
        await db.execute(silence.BEGIN)


async def test_no_job_of_the_worker_runs_while_the_installation_is_silent(house: House) -> None:
    await fall_silent(house)
    sender = WebhookSender(
        house.database, WebhookClient(house.settings), SoleMember(), max_in_flight=1
    )
    ran: set[str] = set()

    async def step(name: str) -> bool:
        ran.add(name)
        return False

    jobs = [
        job._replace(step=partial(step, job.name), channel=None)
        for job in worker.list_jobs(
            house.database, house.settings, [], make_storage(house.settings), sender
        )
    ]
    running_worker = worker.Worker(house.database, jobs)
    running = asyncio.create_task(running_worker.run())
    try:
        for _ in range(3):
            await running_worker.record_heartbeat()
        assert ran == set()
        async with house.database.transaction() as db:
            await silence.end(db)
        await running_worker.record_heartbeat()
        async with asyncio.timeout(PATIENCE):
            while len(ran) < len(jobs):  # noqa: ASYNC110 - the jobs have no event of their own
                await asyncio.sleep(0)
    finally:
        running_worker.stop()
        await asyncio.wait_for(running, PATIENCE)
    assert ran == {job.name for job in jobs}


async def test_requests_reach_no_gateway_and_no_receiver_from_a_silent_installation(
    acme: Firm, house: House
) -> None:
    body = {"url": "https://hooks.example.com/in", "events": ["order.*"]}
    made = (await acme.admin.post("/int/v1/webhooks", json=body)).json()
    await fall_silent(house)
    pinged = await acme.admin.post(f"/int/v1/webhooks/{made['id']}/ping")
    refused(pinged, 503, "installation_silent")
    assert not await house.value("select exists (select from webhook_deliveries)")
    gateway = make_gateway(
        load({}, **RIGHT, stripe_url="http://127.0.0.1:9"),
        ManualClock(NOON),
        before_request=partial(silence.refuse, house.database),
    )
    with pytest.raises(silence.InstallationSilent):
        await gateway.create_customer("cus", "key")
    status = (await acme.admin.get("/status")).json()
    assert "pannier resume" in status["checks"]["silence"]


async def test_what_is_waiting_is_counted_and_dropped_up_to_a_time(
    shop: Shop, house: House, clock: ManualClock
) -> None:
    body = {"url": "https://hooks.example.com/in", "events": ["order.created"]}
    assert (await shop.firm.admin.post("/int/v1/webhooks", json=body)).status_code == 201
    driver = await shop.driver()
    due = (clock.now() + timedelta(minutes=5)).isoformat()
    await shop.order(driver=driver["id"], scheduled_at=due)
    await shop.firm.api.post("/v1/drivers/login-with-sms", json={"phone": driver["phone"]})
    clock.advance(hours=2)
    await shop.order()
    while await relay.Relay(house.database, SUBSCRIBERS).step():
        pass
    work = await waiting.count_waiting(house.database)
    assert (work["webhook deliveries"].waiting, work["webhook deliveries"].since) == (2, NOON)
    assert work["messages"].waiting == 1
    assert work["scheduled orders to dispatch"].waiting == 1
    news = work["events that recipients may be notified about"].waiting
    dropped = await waiting.drop_older(house.database, NOON + timedelta(hours=1))
    assert dropped["webhook deliveries"] == dropped["messages"] == 1
    assert dropped["scheduled orders to dispatch"] == 1
    left = await waiting.count_waiting(house.database)
    assert left["webhook deliveries"].since == NOON + timedelta(hours=2)
    assert left["messages"].waiting == left["scheduled orders to dispatch"].waiting == 0
    kept = left["events that recipients may be notified about"].waiting
    assert news - kept == dropped["events that recipients may be notified about"]
    assert await house.value("select state from webhook_deliveries order by created_at") is None
    assert (
        await house.value("select count(*) from webhook_deliveries where state = 'cancelled'") == 1
    )
    assert await house.value("select status from orders order by created_at") == "created"


@pytest.mark.slow
def test_the_commands_back_up_restore_and_resume(
    tmp_path: Path,
    migrated_url: str,
    empty_url_for_commands: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old, new, place = tmp_path / "old", tmp_path / "new", str(tmp_path / "backups")
    assert shell.run(old, "bootstrap", database_url=migrated_url).returncode == 0
    assert "PANNIER_BACKUP_URL" in shell.run(old, "backup", database_url=migrated_url).stderr
    taken = shell.answer(old, "backup", "--to", place, "--json", database_url=migrated_url)
    assert taken["encrypted"] is False
    settings = {"database_url": empty_url_for_commands}
    assert shell.answer(new, "restore", "--from", place, "--check", "--json", **settings) == {
        "name": taken["name"],
        "rows": taken["rows"],
        "restored": False,
    }
    restore = ("restore", "--from", place, "--at", "2126-01-01")
    without_secret = shell.run(new, *restore, **settings)
    assert "secret's file" in without_secret.stderr
    other_secret = shell.run(new, *restore, secret="x" * 40, **settings)
    assert "is not the secret" in other_secret.stderr
    too_early = shell.run(new, "restore", "--from", place, "--at", "2026-01-01", **settings)
    assert "The oldest is" in too_early.stderr
    new.mkdir()
    (new / "secret").write_text((old / "secret").read_text())
    restored = shell.run(new, *restore, **settings)
    assert "pannier resume" in restored.stdout, restored.stderr
    again = shell.run(new, *restore, **settings)
    assert "already contains data" in again.stderr
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))
    shown = shell.run(new, "resume", **settings)
    assert (shown.returncode, "Send and do all this" in shown.stdout) == (130, True), shown
    resumed = shell.answer(new, "resume", "--yes", "--json", **settings)
    assert set(resumed) == {"waiting", "dropped"}
    assert "not silent" in shell.run(new, "resume", **settings).stdout
    encrypted = {"backup_key": "a key for backups that is long enough"}
    assert shell.answer(new, "backup", "--to", place, "--json", **settings, **encrypted)[
        "encrypted"
    ]
