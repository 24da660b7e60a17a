"""The developers' pages in a real browser: a webhook set up, and every page for everybody."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

import stage
from console.browser import Tabs, axe
from pannier.db import Database
from pannier.kit.clock import ManualClock
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
    database: Database, clock: ManualClock, tmp_path: Path, trust: Path
) -> AsyncIterator[House]:
    """A whole Pannier whose webhooks may reach this machine."""
    house = await stage.build(
        database,
        clock,
        str(tmp_path),
        webhook_allow_networks=receivers.NETWORKS,
        webhook_ca_bundle=str(trust),
    )
    yield house
    await house.edge.services["carrier"].close()


async def test_a_webhook_is_registered_tested_paused_resumed_and_rotated(
    page: Page, receiver: Receiver
) -> None:
    await page.goto("/console/webhooks")
    await page.get_by_role("link", name="New webhook").click()
    await page.get_by_label("Address").fill(receiver.url())
    await page.get_by_label("Narrow the events down").fill("completed")
    await expect(page.get_by_label("order.dispatched")).to_be_hidden()
    await page.get_by_label("order.completed").check()
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".secret code")).to_contain_text("whsec_")
    first = await page.locator(".secret code").inner_text()

    await page.get_by_role("button", name="Send test").click()
    await expect(page.locator("#ping")).to_contain_text("Succeeded")
    await expect(page.locator("#ping")).to_contain_text("200")

    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_text("Events are held, and go out")).to_be_visible()
    await page.get_by_role("button", name="Resume").click()
    await expect(page.get_by_role("button", name="Pause")).to_be_visible()

    await page.get_by_role("button", name="Rotate secret").click()
    await page.locator("#do-rotate-secret").get_by_role("button", name="Rotate secret").click()
    await expect(page.locator(".secret code")).to_contain_text("whsec_")
    assert await page.locator(".secret code").inner_text() != first
    await expect(page.get_by_text("older, good until")).to_be_visible()


async def furnished(firm: Firm) -> list[str]:
    """Give every page something to show, and list the pages."""
    office = Office.of(firm)
    webhook = await office.register()
    await office.tell()
    await office.work()
    office.receivers.answer = lambda _: answering(500, phases={"connect": 2.0, "total": 5.0})
    await office.tell(subject="order_2")
    await office.work()
    delivery = (await office.deliveries(subject="order_2"))[0]
    first = {
        name: (await firm.admin.get(f"/int/v1/{name}")).json()["data"][0]["id"]
        for name in ("events", "keys", "operators", "audit", "storefronts")
    }
    return [
        "/console/webhooks",
        "/console/webhooks/new",
        f"/console/webhooks/{webhook['id']}",
        f"/console/webhooks/{webhook['id']}/verify?language=go",
        "/console/webhook-deliveries",
        f"/console/webhook-deliveries/{delivery['id']}",
        f"/console/webhook-deliveries/replay?webhook={webhook['id']}&state=succeeded",
        "/console/events",
        "/console/keys",
        "/console/keys/new",
        "/console/operators",
        "/console/audit",
        "/console/messages",
        "/console/settings",
        "/console/settings/news?language=de&kind=delivered",
        f"/console/storefronts/{first['storefronts']}/edit",
        "/console/parked",
        "/console/me",
        *(f"/console/{name}/{identifier}" for name, identifier in first.items()),
    ]


@pytest.mark.parametrize(("theme", "phone"), [("light", False), ("dark", True)])
async def test_everybody_can_use_every_page_and_none_is_wider_than_its_window(
    acme: Firm, browse: Tabs, theme: str, *, phone: bool
) -> None:
    paths = await furnished(acme)
    page = await browse(theme=theme, phone=phone)
    found = {}
    for path in paths:
        await page.goto(path)
        wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        found[path] = [*await axe(page), *([f"{wide} px too wide"] if wide > 0 else [])]
    assert {path: troubles for path, troubles in found.items() if troubles} == {}
