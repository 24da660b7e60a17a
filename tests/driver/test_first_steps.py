"""From an empty company to a completed delivery, by what the first steps say and by keyboard."""

import re
from dataclasses import dataclass

import pytest
from playwright.async_api import Locator, Page, expect

from console.browser import Tabs
from console.conftest import browse
from driver.rider import PHONE
from pannier.notifications.channels import open_channels
from pannier.notifications.sender import make_senders
from stage import PASSWORD, Firm, House

__all__ = ["browse"]

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
DEPOT, HOTEL = "1.2840, 103.8510", "1.2894, 103.8607"


@dataclass
class Newcomer:
    """An admin who has read nothing, and uses only the keyboard."""

    page: Page

    async def press(self, target: Locator) -> None:
        """Go to a link or a button, and press Enter."""
        await target.focus()
        await expect(target).to_be_focused()
        await self.page.keyboard.press("Enter")

    async def button(self, name: str) -> None:
        main = self.page.locator("#main")
        await self.press(main.get_by_role("button", name=name, exact=True).first)

    async def type(self, **texts: str) -> None:
        """Type into fields, by their labels."""
        for label, text in texts.items():
            name = label.replace("_", " ")
            field = self.page.get_by_label(re.compile(f"^{name}( \\*)?$")).first
            await field.focus()
            await self.page.keyboard.press("Control+a")
            await self.page.keyboard.type(text)

    async def choose(self, **texts: str) -> None:
        """Choose from lists by typing the beginning of a name."""
        for label, text in texts.items():
            name = label.replace("_", " ")
            field = self.page.get_by_label(re.compile(f"^{name}( \\*)?$")).first
            await field.focus()
            await self.page.keyboard.type(text)
            await expect(field.locator("option:checked")).to_contain_text(text)

    async def sign_in(self, firm: Firm) -> None:
        await self.page.goto("/console")
        await self.type(Email=firm.email("admin"), Password=PASSWORD)
        await self.page.keyboard.press("Enter")
        await expect(self.page.get_by_role("heading", level=1)).to_contain_text("Home")

    async def begin(self, step: str) -> None:
        """Go home, and open a step of the list."""
        await self.go_home()
        await self.press(self.page.get_by_role("link", name=step))
        await self.page.wait_for_url(lambda url: not url.endswith("/home"))

    async def go_home(self) -> None:
        await self.press(self.page.get_by_role("link", name="Home", exact=True))
        await expect(self.page.get_by_role("heading", level=1)).to_contain_text("Home")

    async def see_done(self, step: str) -> None:
        await self.go_home()
        await expect(self.page.get_by_role("link", name=f"{step} (done)")).to_be_visible()

    async def set_the_company_up(self) -> None:
        await self.begin("Set the country, time zone and currency")
        await self.choose(Country="Singapore", Time_zone="Asia/Singapore", Currency="SGD")
        await self.press(self.page.locator("#company").get_by_role("button", name="Save"))
        await expect(self.page.locator("#toasts")).to_contain_text("Company saved.")
        await self.see_done("Set the country, time zone and currency")

    async def save_a_place(self) -> None:
        await self.begin("Save your first place")
        await self.type(Name="Depot", Street="1 Raffles Place", City="Singapore", Coordinates=DEPOT)
        await self.button("Save")
        await expect(self.page.get_by_role("heading", level=1)).to_contain_text("Depot")
        await self.see_done("Save your first place")

    async def add_a_driver(self) -> str:
        """Add a driver, and answer the link to the app."""
        await self.begin("Add a driver")
        await self.type(Name="Grace Hopper", Phone="9123 4567")
        await self.button("Save")
        await expect(self.page.get_by_role("heading", level=1)).to_contain_text("Grace Hopper")
        await self.see_done("Add a driver")
        await self.begin("Open the driver app on the driver's phone")
        await self.button("Create app key")
        link = await self.page.locator("section.handed code").text_content()
        assert link
        return link

    async def read_the_code(self) -> str:
        """Read the code of the driver where the first steps say that it is."""
        await self.go_home()
        await expect(self.page.get_by_text("are listed under Messages")).to_be_visible()
        await self.press(self.page.get_by_role("link", name="Customers", exact=True))
        await self.press(self.page.get_by_role("link", name="Messages", exact=True))
        await self.press(self.page.locator("tbody a").first)
        return (await self.page.locator(".said").text_content() or "")[:6]

    async def set_a_price(self) -> None:
        await self.begin("Set your prices")
        await self.type(Name="Express", Service_code="express", Base_fee="5", Fee_per_unit="1.5")
        await self.button("Save")
        await expect(self.page.get_by_role("heading", level=1)).to_contain_text("Express")
        await self.see_done("Set your prices")

    async def order_a_delivery(self) -> None:
        await self.begin("Create your first order")
        await self.type(Pickup="Depot")
        await expect(self.page.get_by_role("option", name=re.compile("Depot"))).to_be_visible()
        await self.page.keyboard.press("ArrowDown")
        await self.page.keyboard.press("Enter")
        await self.type(**{"Drop-off": HOTEL, "Driver": "Grace"})
        await expect(self.page.get_by_role("option", name=re.compile("Grace"))).to_be_visible()
        await self.page.keyboard.press("Enter")
        await self.press(self.page.locator("form.order button.primary"))
        await self.page.wait_for_url("**/console/orders/order_*")
        await self.press(self.page.locator(".next").get_by_role("button", name="Dispatch"))
        await expect(self.page.locator(".head .badge").first).to_contain_text("Dispatched")


async def send_messages(house: House) -> None:
    """Do what the worker does with messages: without a provider, it keeps them."""
    for sender in make_senders(house.database, open_channels(house.settings)):
        await sender.step()
        await sender.wait_until_idle()


async def sign_in(app: Page, newcomer: Newcomer, link: str, house: House) -> None:
    """Open the link on the driver's phone, and sign in with the code."""
    await app.goto("/driver#" + link.partition("#")[2])
    await app.get_by_label("Phone number").fill(PHONE)
    await app.get_by_role("button", name="Send code").click()
    await expect(app.get_by_label("Code")).to_be_visible()
    await send_messages(house)
    await app.get_by_label("Code").fill(await newcomer.read_the_code())
    await app.get_by_role("button", name="Sign in").click()
    await expect(app.get_by_role("heading", name="Stops")).to_be_visible()


async def deliver(app: Page) -> None:
    """Do what the app says, from the pickup to the delivery."""
    await app.get_by_role("switch").click()
    await app.get_by_role("link", name="Depot").click()
    for name in ("Start order", "Arrived at pickup", "Collected"):
        await app.get_by_role("button", name=name).click()
    await app.locator("main > ol a.stop").first.click()
    for name in ("En route", "Completed"):
        await app.get_by_role("button", name=name, exact=True).click()
    await expect(app.get_by_text("Completed (2)")).to_be_visible()
    await app.evaluate("location.hash = '#/waiting'")
    await expect(app.get_by_text("Everything has been sent")).to_be_visible()


async def test_the_first_steps_lead_from_nothing_to_a_completed_delivery(
    acme: Firm, browse: Tabs, app: Page
) -> None:
    newcomer = Newcomer(await browse(role=None, maps=False))
    await newcomer.sign_in(acme)
    await newcomer.set_the_company_up()
    await newcomer.save_a_place()
    link = await newcomer.add_a_driver()
    await sign_in(app, newcomer, link, acme.house)
    await newcomer.see_done("Open the driver app on the driver's phone")
    await newcomer.set_a_price()
    await newcomer.order_a_delivery()
    await newcomer.see_done("Create your first order")
    await deliver(app)
    await newcomer.go_home()
    await expect(newcomer.page.get_by_role("heading", name="First steps")).not_to_be_attached()
    orders = (await acme.api.get("/v1/orders")).json()
    assert [order["status"] for order in orders] == ["completed"]
