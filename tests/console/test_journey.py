"""A newcomer's first hour: from the sign-in to a webhook that was delivered, and by keyboard."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.async_api import Page as Tab
from playwright.async_api import expect

import program
import stage
from console.browser import Tabs, summon
from pannier.db import Database
from pannier.events import relay
from pannier.kit.clock import ManualClock
from pannier.webhooks import fanout, pool
from pannier.webhooks.membership import SoleMember
from pannier.webhooks.sender import WebhookSender
from stage import PASSWORD, Firm, House
from webhooks import receiver as receivers
from webhooks.receiver import Receiver

pytestmark = pytest.mark.slow


@pytest.fixture
async def receiver(tmp_path: Path) -> AsyncIterator[Receiver]:
    """Somebody's own server, with HTTPS."""
    async with receivers.opened(tmp_path) as opened:
        yield opened


@pytest.fixture
async def house(
    database: Database,
    clock: ManualClock,
    tmp_path: Path,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[House]:
    """A whole Pannier whose webhooks may reach this machine, however slow it is."""
    monkeypatch.setattr(pool, "CONNECT_TIMEOUT_SECONDS", program.PATIENCE)
    settings = {
        "webhook_allow_networks": receivers.NETWORKS,
        "webhook_ca_bundle": str(receiver.ca_bundle),
    }
    built = await stage.build(database, clock, str(tmp_path), **settings)
    yield built
    await built.edge.services["webhook_client"].close()


async def deliver(house: House) -> None:
    """Do what the worker does: hand events over to the webhooks, and send them."""
    while await relay.Relay(house.database, (fanout.create_deliveries,)).step():
        pass
    sender = WebhookSender(
        house.database, house.edge.services["webhook_client"], SoleMember(1), max_in_flight=8
    )
    while await sender.step():
        await sender.wait_until_idle()


async def sign_in(page: Tab, firm: Firm) -> None:
    """Come to the door, and sign in by password."""
    await page.goto("/console/webhooks")
    await page.get_by_label("Email").fill(firm.email("admin"))
    await page.get_by_label("Password").fill(PASSWORD)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Webhooks")


async def register(page: Tab, url: str) -> None:
    """Register a webhook that hears of orders."""
    await page.goto("/console/webhooks/new")
    await page.get_by_label("URL").fill(url)
    await page.locator("input[name=events][value='order.*']").check()
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".secret")).to_contain_text("whsec_")


async def hire(page: Tab) -> str:
    """Take a driver in; answer the id."""
    await page.goto("/console/drivers/new")
    await page.locator("[name=name]").fill("Ada Lovelace")
    await page.locator("[name=phone]").fill("+6591234567")
    await page.get_by_role("button", name="Save").click()
    await page.wait_for_url("**/console/drivers/driver_*")
    return page.url.rpartition("/")[2]


async def order(page: Tab, driver: str) -> None:
    """Place an order for the driver, and dispatch it."""
    await page.goto("/console/orders/new")
    await page.locator("[name=pickup]").fill("1 Raffles Place, Singapore")
    await page.locator("[name=dropoff]").fill("80 Mandai Lake Road, Singapore")
    await page.locator("[name=driver]").fill(driver)
    await page.keyboard.press("Escape")
    await page.locator("form.order button.primary").click()
    await page.wait_for_url("**/console/orders/order_*")
    await page.locator(".next").get_by_role("button", name="Dispatch").click()
    await expect(page.locator(".head .badge").first).to_contain_text("Dispatched")


async def test_a_newcomer_comes_from_the_sign_in_to_a_delivered_webhook(
    acme: Firm, browse: Tabs, receiver: Receiver
) -> None:
    page = await browse(role=None, maps=False)
    await sign_in(page, acme)
    await register(page, receiver.url())
    await order(page, await hire(page))
    await deliver(acme.house)
    heard = [request.json["event"] for request in receiver.at("/hooks")]
    assert {"order.created", "order.dispatched"} <= set(heard)

    await page.goto("/console/webhook-deliveries?event=order.dispatched")
    (row,) = await page.locator("tbody tr").all()
    await expect(row).to_contain_text("Succeeded")
    await row.locator("a").first.click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("order.dispatched")
    await expect(page.locator("main")).to_contain_text("Ada Lovelace")


async def test_by_keyboard_alone_one_finds_opens_filters_and_leaves_again(
    acme: Firm, page: Tab
) -> None:
    for name in ("Ada Lovelace", "Grace Hopper"):
        await acme.api.post("/v1/contacts", json={"name": name})
    await page.goto("/console/order-configs")
    await summon(page)
    await page.keyboard.type("contacts")
    await expect(page.locator("#found [aria-selected=true]")).to_contain_text("Contacts")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/console/contacts")
    await page.keyboard.press("/")
    await page.keyboard.type("ada")
    # Who types slowly is shown what two letters find before, and then all rows anew.
    await page.wait_for_url("**/console/contacts?query=ada")
    await expect(page.locator("tbody tr")).to_have_count(1)
    await page.locator("[data-filter]").blur()
    await page.keyboard.press("j")
    await page.keyboard.press("Enter")
    await page.wait_for_url("**/console/contacts/contact_*")
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Ada Lovelace")
    # The second of two keys comes in time, however long this machine stands still between them.
    await page.clock.set_fixed_time(datetime.now(UTC))
    await page.keyboard.press("g")
    await page.keyboard.press("f")
    await page.wait_for_url("**/console/order-configs")
    await page.keyboard.press("n")
    await page.wait_for_url("**/console/order-configs/new")
    await page.keyboard.press("?")
    await expect(page.locator("#keys")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.locator("#keys")).not_to_be_visible()


async def test_back_leads_to_the_list_as_it_was_filtered(acme: Firm, page: Tab) -> None:
    for name in ("Ada Lovelace", "Grace Hopper"):
        await acme.api.post("/v1/contacts", json={"name": name})
    await page.goto("/console/contacts")
    await page.locator("[data-filter]").fill("grace")
    await expect(page.locator("tbody tr")).to_have_count(1)
    await page.locator("tbody a").first.click()
    await expect(page.get_by_role("heading", level=1)).to_contain_text("Grace Hopper")
    await page.go_back()
    await page.wait_for_url("**/console/contacts?query=grace")
    await expect(page.locator("tbody tr")).to_have_count(1)
    await expect(page.locator("[data-filter]")).to_have_value("grace")
    await page.go_back()
    await page.wait_for_url("**/console/contacts")
    await expect(page.locator("tbody tr")).to_have_count(2)
    await expect(page.locator("[data-filter]")).to_have_value("")
