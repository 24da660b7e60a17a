"""Every page for recipients is looked at, on a phone of 360 by 740: see `Looker`."""

from typing import Any

import httpx
import pytest
from playwright.async_api import Page, expect

from console.browser import Tabs
from console.looking import NARROW, Looker, show
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
    await page.set_viewport_size(NARROW)
    return page


async def test_anybody_can_answer_what_is_asked(acme: Firm, house: House, browse: Tabs) -> None:
    courier, page, client = Courier(acme), await small(browse), stranger(house)
    look = await Looker.at(page, "tracking-asked")

    async def shown(name: str, answer: httpx.Response, words: str) -> None:
        await show(page, answer.text, "body")
        await expect(page.locator("main")).to_contain_text(words)
        await look(name)

    ada = await courier.post("contacts", name="Ada Lovelace", phone="+6591234567")
    order = await courier.order(pickup=RAFFLES, dropoff=HOME, customer=ada["id"])
    path, link = f"/t/{number_of(order)}", await link_of(courier, order)
    news = link.replace("?", "/news?")
    await page.goto("/t")
    await look("1-enter")
    slip = await client.get("/t", params={"number": "nonsense"})
    await shown("2-no-number", slip, "Invalid tracking number. Check for typos.")
    await shown("3-check", await client.get(path), "Postal code")
    wrong = await client.post(path, data={"secret": "000000"})
    await shown("4-wrong-postcode", wrong, "These details do not match")
    for _ in range(9):
        await client.post(path, data={"secret": "0"})
    late = await client.post(path, data={"secret": "729826"})
    await shown("5-too-many-tries", late, "Too many attempts")
    await shown("6-news", await client.get(news), "Stop all messages")
    stopped = await client.post(news, data={"news": "stop"}, follow_redirects=True)
    await shown("7-no-news", stopped, "no longer receive messages about deliveries")
    other = await courier.order(pickup=RAFFLES, dropoff=HOME)
    unheard = (await link_of(courier, other)).replace("?", "/news?")
    await shown("8-nobody-to-tell", await client.get(unheard), "No messages are sent about")
    await shown("9-placed", await client.get(link), "Order received")
    assert look.found == []


async def test_anybody_can_follow_what_happens(acme: Firm, house: House, browse: Tabs) -> None:
    courier, page, client = Courier(acme), await small(browse), stranger(house)
    look = await Looker.at(page, "tracking")

    async def shown(name: str, path: str, words: str) -> None:
        await show(page, (await client.get(path)).text, "body")
        await expect(page.locator("main")).to_contain_text(words)
        await look(name)

    order = await courier.started(pickup=RAFFLES, dropoff={**HOME, "street1": LONG}, **THEN)
    driver = order["driver_assigned"]["id"]
    await courier.post(f"drivers/{driver}/track", latitude=1.3, longitude=103.8, heading=90)
    await courier.fire(order, "enroute")
    await page.goto(await link_of(courier, order))
    await expect(page.locator("x-map[data-ready=yes]")).to_be_visible()
    await look("1-next-stop")
    await page.get_by_role("link", name="Deutsch").click()
    await expect(page.locator("h1")).to_have_text("Sie sind der nächste Stopp")
    await page.locator("details.card > summary").click()
    await look("2-next-stop-in-german")
    # A page without scripts: nothing else comes into what is shown in it.
    await page.goto("/t")
    await courier.act(order, "fail-attempt", reason="nobody_home")
    await shown("3-tried-again", await link_of(courier, order), "Delivery attempt failed")
    held = await courier.started(pickup=RAFFLES, dropoff=HOME)
    await courier.act(held, "fail-attempt", reason="wrong_address")
    await shown("4-held", await link_of(courier, held), "Delivery attempt failed")
    back = await courier.started(pickup=RAFFLES, dropoff=HOME)
    await courier.act(back, "fail-attempt", reason="refused")
    await shown("5-goes-back", await link_of(courier, back), "Returning to sender")
    await courier.fire(back, "returned")
    await shown("6-went-back", await link_of(courier, back), "Returned to sender")
    off = await courier.order(pickup=RAFFLES, dropoff=HOME)
    link = await link_of(courier, off)
    await courier.act(off, "cancel")
    await shown("7-cancelled", link, "Canceled")
    number = number_of(await delivered(courier))
    proof = proof_link(house, number, minutes=5)
    await shown("8-proof", proof, "Signed by Ada Lovelace")
    house.clock.advance(minutes=6)
    await shown("9-expired", proof, "has expired")
    assert (await acme.api.delete(f"/v1/orders/{off['id']}")).is_success
    await shown("10-gone", link, "This delivery is no longer available.")
    assert look.found == []


async def test_anybody_can_change_and_rate_a_delivery(
    acme: Firm, house: House, browse: Tabs
) -> None:
    allowed = {
        "reschedule_days": 7, "contact_phone": "+6561234567", "contact_email": "help@example.com",
    }  # fmt: skip
    await acme.admin.patch("/int/v1/settings", json={"recipients": allowed})
    courier, page, client = Courier(acme), await small(browse), stranger(house)
    look = await Looker.at(page, "tracking-changed")

    async def shown(name: str, answer: httpx.Response, words: str) -> None:
        await show(page, answer.text, "body")
        await expect(page.locator("main")).to_contain_text(words)
        await look(name)

    await page.goto("/t")
    link = await link_of(courier, await courier.order(pickup=RAFFLES, dropoff=HOME))
    await client.post(link, data={"secret": "729826"})
    form = link.replace("?", "/instructions?")
    await shown("1-instructions", await client.get(form), "Where should we leave")
    empty = await client.post(form, data={"handover": "neighbor"})
    await shown("2-no-neighbor", empty, "Describe the place")
    await client.post(form, data={"handover": "neighbor", "location": LONG, "note": LONG})
    await shown("3-instructed", await client.get(link), "Leave it with a neighbor")
    form = link.replace("?", "/time?")
    await shown("4-times", await client.get(form), "Choose another day or time")
    await shown("5-time-gone", await client.post(form, data={"slot": "1"}), "no longer available")
    done = await delivered(courier)
    link = await link_of(courier, done)
    await client.post(link, data={"secret": "729826"})
    form = link.replace("?", "/rating?")
    await shown("6-rating", await client.get(form), "Score from 1")
    await client.post(form, data={"score": "4", "comment": LONG})
    await shown("7-rated", await client.get(link), "4 / 5")
    house.clock.advance(days=2)
    await client.post(link, data={"secret": "729826"})
    await shown("8-rating-closed", await client.get(form), "can no longer be rated")
    assert look.found == []
