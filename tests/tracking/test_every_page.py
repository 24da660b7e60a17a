"""Every page for recipients is looked at, on a phone of 360 by 740: see `Looker`."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from console.browser import Tabs, Troubles
from console.looking import Looker
from orders.shop import MANDAI, RAFFLES
from proofs.evidence import Courier
from stage import Firm, House
from tracking.asking import link_of, stranger
from tracking.test_proof import delivered, proof_link

pytestmark = pytest.mark.slow
LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
HOME = {**MANDAI, "postal_code": "729826"}
THEN = {"time_window_start": "2026-01-15T13:00:00Z", "time_window_end": "2026-01-15T15:00:00Z"}


def number_of(order: dict[str, Any]) -> str:
    """Name the tracking number of an order."""
    found: str = order["tracking_number"]["tracking_number"]
    return found


async def small(browse: Tabs) -> Page:
    """Take out a small phone."""
    page = await browse(role=None, phone=True)
    await page.set_viewport_size({"width": 360, "height": 740})
    return page


async def test_anybody_can_answer_what_is_asked(
    acme: Firm, house: House, browse: Tabs, troubles: Troubles
) -> None:
    troubles.excuse("status of (404|429)")
    courier, page = Courier(acme), await small(browse)
    look = await Looker.at(page, "tracking-asked")
    ada = await courier.post("contacts", name="Ada Lovelace", phone="+6591234567")
    order = await courier.order(pickup=RAFFLES, dropoff=HOME, customer=ada["id"])
    path, link = f"/t/{number_of(order)}", await link_of(courier, order)
    await page.goto("/t")
    await look("1-enter")
    await page.get_by_label("Enter the tracking number").fill("nonsense")
    await page.get_by_role("button", name="Find it").click()
    await expect(page.get_by_role("alert")).to_be_visible()
    await look("2-no-number")
    await page.goto(path)
    await look("3-check")
    await page.get_by_label("Postcode").fill("000000")
    await page.get_by_role("button", name="Show the delivery").click()
    await expect(page.get_by_role("alert")).to_contain_text("That does not match")
    await look("4-wrong-postcode")
    for _ in range(9):
        await stranger(house, "127.0.0.1").post(path, data={"secret": "0"})
    await page.get_by_label("Postcode").fill("729826")
    await page.get_by_role("button", name="Show the delivery").click()
    await expect(page.get_by_text("Too many tries")).to_be_visible()
    await look("5-too-many-tries")
    await page.goto(link.replace("?", "/news?"))
    await look("6-news")
    await page.get_by_role("button", name="Stop all messages").click()
    await expect(page.get_by_text("no longer get messages about deliveries")).to_be_visible()
    await look("7-no-news")
    other = await courier.order(pickup=RAFFLES, dropoff=HOME)
    await page.goto((await link_of(courier, other)).replace("?", "/news?"))
    await look("8-nobody-to-tell")
    await page.goto(link)
    await look("9-placed")
    assert look.found == []


async def test_anybody_can_follow_what_happens(
    acme: Firm, house: House, browse: Tabs, troubles: Troubles
) -> None:
    troubles.excuse("status of 404")
    courier, page = Courier(acme), await small(browse)
    look = await Looker.at(page, "tracking")

    async def shown(name: str, order: dict[str, Any], words: str) -> None:
        await page.goto(await link_of(courier, order))
        await expect(page.locator("h1")).to_have_text(words)
        await look(name)

    order = await courier.started(pickup=RAFFLES, dropoff={**HOME, "street1": LONG}, **THEN)
    driver = order["driver_assigned"]["id"]
    await courier.post(f"drivers/{driver}/track", latitude=1.3, longitude=103.8, heading=90)
    await courier.fire(order, "enroute")
    await page.goto(await link_of(courier, order))
    await expect(page.locator("x-map[data-ready=yes]")).to_be_visible()
    await look("1-next-stop")
    await page.get_by_role("link", name="Deutsch").click()
    await expect(page.locator("h1")).to_have_text("Sie sind der nächste Halt")
    await page.locator("details.card > summary").click()
    await look("2-next-stop-in-german")
    await courier.act(order, "fail-attempt", reason="nobody_home")
    await shown("3-tried-again", order, "Could not be delivered")
    held = await courier.started(pickup=RAFFLES, dropoff=HOME)
    await courier.act(held, "fail-attempt", reason="wrong_address")
    await shown("4-held", held, "Could not be delivered")
    back = await courier.started(pickup=RAFFLES, dropoff=HOME)
    await courier.act(back, "fail-attempt", reason="refused")
    await shown("5-goes-back", back, "On its way back")
    await courier.fire(back, "returned")
    await shown("6-went-back", back, "Returned to the sender")
    off = await courier.order(pickup=RAFFLES, dropoff=HOME)
    link = await link_of(courier, off)
    await courier.act(off, "cancel")
    await shown("7-cancelled", off, "Cancelled")
    number = number_of(await delivered(courier))
    proof = proof_link(house, number, minutes=5)
    await page.goto(proof)
    await expect(page.get_by_text("Signed by Ada Lovelace")).to_be_visible()
    await look("8-proof")
    house.clock.advance(minutes=6)
    await page.goto(proof)
    await expect(page.get_by_text("has expired")).to_be_visible()
    await look("9-expired")
    assert (await acme.api.delete(f"/v1/orders/{off['id']}")).is_success
    await page.goto(link)
    await look("10-gone")
    assert look.found == []
