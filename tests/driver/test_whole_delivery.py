"""A whole delivery in the app: four stops, four kinds of proof, half of it without reception."""

from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import expect

from console.browser import Troubles, until
from driver.doomed import Doomed
from driver.hand import SIGNED, Hand
from driver.pocket import Pocket
from driver.rider import ADA, Rider
from driver.weather import Weather
from orders.shop import CHANGI, MANDAI, RAFFLES
from pannier.console import assets
from stage import Firm

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]
ARRIVED: Final = {"code": "arrived", "status": "Arrived", "next": ["handed_over"]}
HANDED_OVER: Final = {"code": "handed_over", "status": "Handed over", "complete": True}
EACH: Final = {"require_pod": True, "pod_method": "scan", "pod_scope": "entity"}
STOPS: Final = (
    {**RAFFLES, "name": "Raffles", "pod_method": "signature"},
    {**MANDAI, "name": "Night Safari", "pod_method": "sms", "contact": ADA},
    {**CHANGI, "name": "Terminal 3", "pod_method": "photo"},
    {"street1": "10 Bayfront Avenue", "city": "Singapore", "name": "Marina", "subflow": "counted"},
)
ITEMS: Final = (
    {"name": "Lamp", "expected_codes": ["LAMP-1"], "destination": 3},
    {"name": "Chair", "expected_codes": ["CHAIR-2"], "destination": 3},
)
ORDERS: Final = "/v1/orders/"
# Ends when what reads codes is kept, which the app begins to fetch when an order wants it.
PREPARED: Final = "async (scan) => { await (await import(scan)).preloadReader(); }"
CAPTURES: Final = {"signature": 1, "sms": 1, "photo": 1, "scan": 2}
LATER: Final = {"photo", "scan"}
STEPS: Final = {"created": 1, "dispatched": 1, "started": 1, "arrived": 4, "handed_over": 4}
TOLD: Final = {
    "order.created": 1, "order.dispatched": 1, "order.started": 1, "order.updated": 7,
    "order.completed": 1, "driver.assigned": 1, "driver.online": 1, "tracking_number.created": 7,
    "tracking_status.created": 11, "proof_of_delivery.created": 5,
}  # fmt: skip


@dataclass
class Delivery(Rider):
    """A driver who delivers one order from its first stop to its last."""

    async def ordered(self) -> dict[str, Any]:
        """Be given an order of four stops, each of which wants another proof."""
        config = await self.shop.config(
            ARRIVED, HANDED_OVER, subflows={"counted": [ARRIVED, {**HANDED_OVER, **EACH}]}
        )
        stops = [{**stop, "pod_required": "pod_method" in stop} for stop in STOPS]
        payload = {"waypoints": stops, "entities": list(ITEMS)}
        return await self.shop.order(
            order_config=config["id"], driver=self.driver["id"], payload=payload, dispatch=True
        )

    async def prepared(self) -> None:
        """Wait until the phone has all that it needs without reception."""
        await until(self.page, "navigator.serviceWorker.controller")
        await self.page.evaluate(PREPARED, assets.url("driver/capture/scan.js"))

    async def start(self, stop: str) -> None:
        """Go on duty, and on the way to the first stop."""
        await self.page.get_by_role("switch").click()
        await self.link(stop).click()
        await self.button("Start order").click()
        await expect(self.button("Arrived")).to_be_enabled()
        await self.link("Back").click()

    async def arrive(self, stop: str) -> None:
        """Choose a stop from the list, and say that one is there."""
        await self.link(stop).click()
        await expect(self.heading(stop)).to_be_visible()
        await self.button("Arrived").click()
        await expect(self.button("Handed over")).to_be_enabled()

    async def hand_over(self) -> None:
        """Press the button that asks for the proof; codes before the camera are read at once."""
        await self.button("Handed over").click()

    async def done(self, stop: str) -> None:
        """See that the app takes a stop as done."""
        await expect(self.page.get_by_text(f"{stop} completed")).to_be_visible()
        await expect(self.heading("Stops")).to_be_visible()

    async def sign(self) -> None:
        """Let somebody sign on the glass."""
        await expect(self.page.locator(".pad")).to_be_visible()
        await Hand(self.page).sign(*SIGNED)
        await self.page.get_by_label("Signer's name").fill("Ada Lovelace")
        await self.button("Use signature").click()

    async def ask_for_code(self) -> None:
        """Have a code sent to the recipient."""
        await self.button("Send code").click()
        await expect(self.page.get_by_text("Code sent to")).to_be_visible()

    async def tell_code(self) -> None:
        """Type what the recipient reads out."""
        sql = "select body from messages where secret and recipient = :phone"
        code = str(await self.shop.firm.house.value(sql, phone=ADA["phone"]))[:6]
        await self.page.get_by_label("Recipient's code").fill(code)
        await self.button("Check code").click()

    async def photograph(self) -> None:
        """Take a photo of what lies at the door."""
        await Hand(self.page).looking()
        await self.button("Take photo").click()
        await expect(self.button("View photo 1")).to_be_visible()
        await self.button("Use photo").click()


async def told(firm: Firm) -> Counter[str]:
    """Count the events of each name, but for where the driver was."""
    sql = """select name from events
             where company = :company and name <> 'driver.location_changed'"""
    async with firm.house.database.reading() as db:
        return Counter(name for (name,) in await db.fetch_tuples(sql, company=firm.uuid))


@pytest.fixture
async def doomed(acme: Firm, database_url: str) -> AsyncIterator[Doomed]:
    """Another server of the same house, which will be killed."""
    made = Doomed.beside(acme.house, database_url)
    yield made
    await made.kill()


async def test_a_delivery_arrives_whole_and_once_whatever_befalls_the_phone_and_the_server(
    acme: Firm, troubles: Troubles, weather: Weather, doomed: Doomed, tmp_path: Path
) -> None:
    pocket = Pocket.at(tmp_path, troubles)
    weather.meets = lambda scope: "/capture-" in scope["path"]

    async with pocket.taken_out() as page:
        driver = await Delivery.of(acme, page)
        order = await driver.ordered()
        await driver.open()
        await driver.enter()
        await driver.start("Raffles")

        # There is reception, but the server's answers to both proofs are lost.
        await driver.arrive("Raffles")
        await driver.hand_over()
        weather.coming.append("lost")
        await driver.sign()
        await driver.done("Raffles")
        await driver.send_all()

        await driver.link("Stops").click()
        await driver.arrive("Night Safari")
        await driver.hand_over()
        await driver.ask_for_code()
        weather.coming.append("lost")
        await driver.tell_code()
        await driver.done("Night Safari")
        await driver.send_all()

        # Without reception from here on, and the phone is put away in between.
        await driver.prepared()
        await page.context.set_offline(True)
        heard = requests(weather)
        await driver.link("Stops").click()
        await driver.arrive("Terminal 3")
        await driver.hand_over()
        await driver.photograph()
        await driver.done("Terminal 3")

    async with pocket.taken_out(reception=False) as page:
        driver.page = page
        await page.goto("/driver")
        await driver.arrive("Marina")
        await driver.hand_over()
        await driver.done("Marina")
        await expect(page.get_by_text("No stops")).to_be_visible()
        await expect(driver.link("Offline · 7")).to_be_visible()
        assert requests(weather) == heard
        assert (await driver.read(order))["status"] == "started"

        # Reception again, but hardly anything is answered the first time.
        await doomed.ready()
        back = acme.house.clock.now()
        weather.meets = lambda scope: scope["method"] == "POST" and ORDERS in scope["path"]
        weather.coming.extend(storm(doomed))
        await page.context.set_offline(False)
        await driver.send_all()

    assert (list(weather.coming), doomed.killed) == ([], True)
    assert repeated(weather) == {"capture-signature": 1, "capture-photo": 1, "capture-qr": 1,
                                 "update-activity": 3}  # fmt: skip
    await finished(driver, order, back)


def storm(doomed: Doomed) -> Iterator[Any]:
    """Tell what befalls all that the phone sends at last; whatever was sent in vain comes again."""
    yield from ("lost", None)  # It has arrived at Terminal 3.
    yield from ("cut", doomed, "lost", None)  # The photo.
    yield from ("lost", None)  # Handed over.
    yield None  # It has arrived at Marina.
    yield from ("lost", None)  # The first item is scanned,
    yield None  # and the second one.
    yield from ("lost", None)  # Handed over, and with it the order is completed.


def requests(weather: Weather) -> Counter[tuple[str, str]]:
    """Count what the house has heard of orders, by path and key."""
    return Counter((path, key) for path, key, _ in weather.heard if ORDERS in path)


def repeated(weather: Weather) -> Counter[str]:
    """Count what the house has heard more than once, by the kind of request."""
    heard = requests(weather).items()
    return Counter(path.split("/")[4] for (path, _), times in heard if times > 1)


async def finished(driver: Delivery, order: dict[str, Any], back: datetime) -> None:
    """Check that everything is with the server, once, and as of when it happened."""
    assert (await driver.read(order))["status"] == "completed"
    proofs = await driver.shop.get(f"orders/{order['id']}/proofs")
    assert Counter(proof["method"] for proof in proofs) == CAPTURES
    assert {proof["method"] for proof in proofs if moment(proof, "received_at") > back} == LATER
    for proof in proofs:
        assert proof["used"]
        assert moment(proof, "created_at") < back
        assert (await driver.shop.get(f"proofs/{proof['id']}/verify"))["valid"]
    statuses = await driver.shop.get(f"tracking-statuses?order={order['id']}&limit=100")
    assert Counter(status["code"] for status in statuses) == STEPS
    assert all(moment(status, "occurred_at") < back for status in statuses)
    assert await told(driver.shop.firm) == TOLD


def moment(row: dict[str, Any], name: str) -> datetime:
    """Read a time."""
    return datetime.fromisoformat(row[name])
