"""The developers' pages in a real browser: a webhook set up, and every page for everybody."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

import program
import stage
from console.browser import Tabs, axe
from console.looking import show
from console.seat import Seat
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.webhooks import pool
from stage import Firm, House
from webhooks import receiver as receivers
from webhooks.office import Office, answering
from webhooks.receiver import Receiver

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def trust(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that says whose certificates to trust."""
    return receivers.trusted(tmp_path_factory.mktemp("trust"))


@pytest.fixture
async def receiver(trust: Path) -> AsyncIterator[Receiver]:
    async with receivers.opened(trust.parent) as receiver:
        yield receiver


@pytest.fixture
async def house(
    database: Database,
    clock: ManualClock,
    tmp_path: Path,
    trust: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[House]:
    """A whole Pannier whose webhooks may reach this machine, however slow it is."""
    monkeypatch.setattr(pool, "CONNECT_TIMEOUT_SECONDS", program.PATIENCE)
    house = await stage.build(
        database,
        clock,
        str(tmp_path),
        webhook_allow_networks=receivers.NETWORKS,
        webhook_ca_bundle=str(trust),
    )
    yield house
    await house.edge.services["webhook_client"].close()


async def test_a_webhook_is_registered_tested_paused_resumed_and_rotated(
    page: Page, receiver: Receiver
) -> None:
    await page.goto("/console/webhooks")
    await page.get_by_role("link", name="New webhook").click()
    await page.get_by_label("URL").fill(receiver.url())
    await page.get_by_label("Filter events").fill("completed")
    await expect(page.get_by_label("order.dispatched")).to_be_hidden()
    await page.get_by_label("order.completed").check()
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".secret code")).to_contain_text("whsec_")
    first = await page.locator(".secret code").inner_text()

    await page.get_by_role("button", name="Send test").click()
    await expect(page.locator("#ping")).to_contain_text("Succeeded")
    await expect(page.locator("#ping")).to_contain_text("200")

    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_text("Events are held and sent")).to_be_visible()
    await page.get_by_role("button", name="Resume").click()
    await expect(page.get_by_role("button", name="Pause")).to_be_visible()

    await page.get_by_role("button", name="Rotate secret").click()
    await page.locator("#do-rotate-secret").get_by_role("button", name="Rotate secret").click()
    await expect(page.locator(".secret code")).to_contain_text("whsec_")
    assert await page.locator(".secret code").inner_text() != first
    await expect(page.get_by_text("Expires 16 Jan")).to_be_visible()


async def failed(firm: Firm) -> list[str]:
    """Let a delivery fail, and list the pages that tell more than those of the walk."""
    office = Office.of(firm)
    webhook = await office.register()
    await office.tell()
    await office.work()
    office.receivers.answer = lambda _: answering(500, phases={"connect": 2.0, "total": 5.0})
    await office.tell(subject="order_2")
    await office.work()
    delivery = (await office.deliveries(subject="order_2"))[0]
    return [
        f"/console/webhooks/{webhook['id']}",
        f"/console/webhook-deliveries/{delivery['id']}",
        f"/console/webhook-deliveries/replay?webhook={webhook['id']}&state=succeeded",
        "/console/settings/news?language=de&kind=delivered",
    ]


async def test_everybody_can_see_on_a_phone_in_the_dark_what_failed(
    acme: Firm, seat: Seat, browse: Tabs
) -> None:
    paths = await failed(acme)
    page = await browse(theme="dark", phone=True)
    # A page without scripts: nothing else comes into what is shown in it.
    await page.goto("/t")
    found = {}
    for path in paths:
        await show(page, (await seat.client.get(path)).text, "body")
        await expect(page.locator("h1")).to_be_visible()
        wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        found[path] = [*await axe(page), *([f"{wide} px too wide"] if wide > 0 else [])]
    assert {path: troubles for path, troubles in found.items() if troubles} == {}
