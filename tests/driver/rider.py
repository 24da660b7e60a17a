"""A driver with the app in hand: signs in, sees stops, presses buttons."""

import asyncio
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from playwright.async_api import Locator, Page, expect

from console.browser import PATIENCE, until
from orders.shop import CHANGI, MANDAI, Shop
from pannier.accounts import service
from pannier.console import assets
from stage import Firm

PHONE = "+6591234567"
STEPS = [
    {"code": "arrived", "status": "Arrived", "next": ["handed_over"]},
    {
        "code": "handed_over", "status": "Handed over", "complete": True,
        "require_pod": True, "pod_method": "signature", "pod_scope": "waypoint",
    },
]  # fmt: skip
LEFT = "async (outbox) => (await (await import(outbox)).loadStatus()).waiting"
SIGNED_IN = """async ([store, { token, driver }]) => {
    await (await import(store)).saveValues({ driver, token, duty: driver.online });
    dispatchEvent(new Event("signed"));
}"""
GONE_BACK = "!document.querySelector('dialog') && !history.state?.sheet"
ADA = {"name": "Ada Lovelace", "phone": "+6598765432"}


def present(firm: Firm) -> datetime:
    """Set the house's clock to the present moment, which the phone's clock tells too."""
    now = datetime.now(UTC)
    firm.house.clock.advance(seconds=(now - firm.house.clock.now()).total_seconds())
    return now


async def app_key(firm: Firm) -> str:
    """Make the key that a company's drivers get with the link."""
    async with firm.house.database.transaction() as db:
        made = await service.create_key(db, firm.uuid, kind="app", name="App", scopes=[])
        return made.text


@dataclass
class Rider:
    """A driver of a firm and the page of the app."""

    shop: Shop
    page: Page
    key: str
    driver: dict[str, Any]

    @classmethod
    async def of(cls, firm: Firm, page: Page) -> Self:
        """Hire a driver, and hand them a phone on which nothing is installed yet."""
        present(firm)
        shop = Shop(firm)
        driver = await shop.driver(name="Grace Hopper", phone=PHONE)
        return cls(shop, page, await app_key(firm), driver)

    async def open(self) -> None:
        """Open the link that the dispatcher gave."""
        await self.page.goto(f"/driver#key={self.key}")

    async def sign_in(self) -> None:
        """Open the link, and be signed in without the form; `enter` goes through that."""
        await self.open()
        await expect(self.page.get_by_label("Phone number")).to_be_visible()
        told = await self._verify()
        await self.page.evaluate(SIGNED_IN, [assets.url("driver/store.js"), told])
        await expect(self.heading("Stops")).to_be_visible()

    async def _verify(self) -> dict[str, Any]:
        """Ask for a code and hand it in, as the form does; answers the token and the driver."""
        client = self.shop.firm.house.client(self.key)
        await client.post("/v1/drivers/login-with-sms", json={"phone": PHONE})
        answer = await client.post(
            "/v1/drivers/verify-code", json={"phone": PHONE, "code": await self._latest_code()}
        )
        assert answer.status_code == 200, answer.text
        told: dict[str, Any] = answer.json()
        return told

    async def enter(self) -> None:
        """Sign in with the code that came by SMS."""
        await self.page.get_by_label("Phone number").fill(PHONE)
        await self.button("Send code").click()
        await self.page.get_by_label("Code").fill(await self.code())
        await self.button("Sign in").click()
        await expect(self.heading("Stops")).to_be_visible()

    async def code(self) -> str:
        """Read the latest message."""
        await expect(self.page.get_by_label("Code")).to_be_visible()
        return await self._latest_code()

    async def _latest_code(self) -> str:
        sql = "select body from messages order by created_at desc, uuid desc limit 1"
        return str(await self.shop.firm.house.value(sql))[:6]

    async def go_on_duty(self) -> None:
        """Press the switch, and wait until the server knows and the phone knows that it does."""
        duty = self.page.get_by_role("switch")
        await duty.click()
        await expect(duty).to_be_checked()
        async with asyncio.timeout(PATIENCE / 1000):
            while not await self._known() or await self.left():
                await self.page.evaluate("new Promise(requestAnimationFrame)")

    async def _known(self) -> bool:
        found: bool = (await self.shop.get(f"drivers/{self.driver['id']}"))["online"]
        return found

    async def left(self) -> int:
        """Count what waits on the phone."""
        found: int = await self.page.evaluate(LEFT, assets.url("driver/outbox.js"))
        return found

    async def go(self, address: str) -> None:
        """Go to a screen by its address.

        Not before the browser has gone back for a dialog that was closed, which would undo it.
        """
        await until(self.page, GONE_BACK)
        await self.page.evaluate("(address) => { location.hash = `#/${address}`; }", address)

    async def sent(self) -> None:
        """Look at what waits until nothing does: the server has all that was pressed."""
        await self.go("waiting")
        await expect(self.page.get_by_text("Everything has been sent")).to_be_visible()

    async def send_all(self) -> None:
        """Ask the app to send what waits, until nothing does; it may do so of itself meanwhile.

        Then the finger is kept off: nothing is drawn anew under it.
        """
        page = self.page
        await page.get_by_role("link", name="Outbox").click()
        over, button = page.get_by_text("Everything has been sent"), self.button("Send now")
        async with asyncio.timeout(PATIENCE / 1000):
            while await self.left():
                await button.or_(over).first.click()
                await page.evaluate("new Promise(requestAnimationFrame)")
        await expect(over).to_be_visible()

    def answered(self, path: str) -> AbstractAsyncContextManager[Any]:
        """Wait for the server's answer to the phone: the page asks, or its service worker."""
        return self.page.context.expect_event("response", lambda answer: answer.url.endswith(path))

    async def round(self, *, flow: list[dict[str, Any]] | None = None) -> dict[str, Any]:
        """Place an order of two stops for this driver, the second of them late."""
        now = self.shop.firm.house.clock.now()
        config = await self.shop.config(*(STEPS if flow is None else flow))
        soon, late = now + timedelta(hours=1), now - timedelta(minutes=40)
        waypoints = [
            {
                **MANDAI, "name": "Night Safari", "contact": ADA, "notes": "Ring twice.",
                "time_window_start": now.isoformat(), "time_window_end": soon.isoformat(),
            },
            {**CHANGI, "name": "Terminal 3", "time_window_end": late.isoformat()},
        ]  # fmt: skip
        items = [
            {"name": "Coffee machine", "sku": "CM-200-BLK", "weight": 4.2, "destination": 0},
            {"name": "Lamp", "destination": 1},
        ]
        return await self.shop.order(
            order_config=config["id"], driver=self.driver["id"], internal_id="SO-2041",
            payload={"waypoints": waypoints, "entities": items, "cod_amount": 1250,
                     "cod_currency": "SGD"},
            notes="Fragile.", dispatch=True,
        )  # fmt: skip

    def button(self, name: str) -> Locator:
        """Find a button by its words."""
        return self.page.get_by_role("button", name=name, exact=True)

    def link(self, name: str) -> Locator:
        """Find a link by its words."""
        return self.page.get_by_role("link", name=name)

    def heading(self, name: str) -> Locator:
        """Find a heading by its words."""
        return self.page.get_by_role("heading", name=name)

    async def read(self, order: dict[str, Any]) -> dict[str, Any]:
        """Read an order as the company sees it."""
        found: dict[str, Any] = await self.shop.get(f"orders/{order['id']}")
        return found
