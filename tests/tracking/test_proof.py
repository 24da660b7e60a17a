"""The proof of delivery is for whoever was sent the link to it, until that expires."""

import re
from datetime import timedelta
from html import unescape
from typing import Any
from urllib.parse import urlsplit

from orders.shop import MANDAI, RAFFLES
from pannier.orders.tracking import links
from proofs.evidence import Courier
from stage import Firm, House
from tracking.asking import link_of, stranger


def proof_link(house: House, number: str, **life: float) -> str:
    """Answer the path of a page with a proof that is shown for so long."""
    keys, until = house.database.keys, house.clock.now() + timedelta(**life)
    parts = urlsplit(links.proof_link(keys, "http://x.test", number, until))
    return f"{parts.path}?{parts.query}"


def pictures(text: str) -> list[str]:
    return [unescape(found) for found in re.findall(r'<img src="(/files/[^"]+)"', text)]


async def delivered(courier: Courier) -> dict[str, Any]:
    """Hand an order over, signed for and photographed."""
    order = await courier.started(pickup=RAFFLES, dropoff={**MANDAI, "postal_code": "729826"})
    await courier.signed(order, signer_name="Ada Lovelace")
    await courier.photographed(order)
    await courier.fire(order, "enroute")
    return await courier.fire(order, "completed")


async def test_whoever_was_sent_the_link_sees_the_proof(acme: Firm, house: House) -> None:
    order = await delivered(Courier(acme))
    number = order["tracking_number"]["tracking_number"]
    page = await stranger(house).get(proof_link(house, number, days=1))
    assert "Proof of delivery" in page.text
    assert "Signed by Ada Lovelace" in page.text
    found = pictures(page.text)
    assert len(found) == 2
    for address in found:
        assert (await stranger(house).get(address)).status_code == 200


async def test_the_recipient_reads_that_a_code_did_not_match(acme: Firm, house: House) -> None:
    courier = Courier(acme)
    order = await courier.started(pickup=RAFFLES, dropoff=MANDAI)
    await courier.captured(order, "capture-qr", code="WRONG-1", entry="typed")
    await courier.fire(order, "enroute")
    await courier.fire(order, "completed")
    number = order["tracking_number"]["tracking_number"]
    page = await stranger(house).get(proof_link(house, number, days=1))
    assert "The driver entered a code that does not match this delivery." in page.text
    assert "WRONG-1" not in page.text


async def test_the_page_alone_shows_no_proof(acme: Firm, house: House) -> None:
    order = await delivered(Courier(acme))
    link = await link_of(Courier(acme), order)
    for address in (link, link.replace("?", ".json?")):
        page = await stranger(house).get(address)
        assert page.status_code == 200
        assert "Lovelace" not in page.text
        assert "/files/" not in page.text


async def test_a_link_to_a_proof_expires_but_still_leads_to_the_page(
    acme: Firm, house: House
) -> None:
    order = await delivered(Courier(acme))
    link = proof_link(house, order["tracking_number"]["tracking_number"], minutes=5)
    house.clock.advance(minutes=6)
    page = await stranger(house).get(link)
    assert "has expired" in page.text
    assert "Delivered" in page.text
    assert pictures(page.text) == []


async def test_a_link_to_a_proof_opens_no_other_number_and_no_later_time(
    acme: Firm, house: House
) -> None:
    first, second = await delivered(Courier(acme)), await Courier(acme).order()
    link = proof_link(house, first["tracking_number"]["tracking_number"], minutes=5)
    ticket = link.partition("=")[2]
    until, _, mark = ticket.partition(".")
    other = f"/t/{second['tracking_number']['tracking_number']}?proof={ticket}"
    later = f"{link.partition('=')[0]}={int(until) + 60}.{mark}"
    for forged in (other, later):
        assert "Confirm your details" in (await stranger(house).get(forged)).text


async def test_of_an_order_with_many_stops_each_sees_the_proof_of_their_own(
    acme: Firm, house: House
) -> None:
    courier = Courier(acme)
    order = await courier.started(waypoints=[RAFFLES, MANDAI])
    for stop in order["payload"]["waypoints"]:
        await courier.signed(order, stop["id"], signer_name=f"Signer of {stop['id']}")
        await courier.fire(order, "enroute")
        await courier.fire(order, "completed")
    first, second = order["payload"]["waypoints"]
    page = await stranger(house).get(proof_link(house, second["tracking_number"], days=1))
    assert f"Signer of {second['id']}" in page.text
    assert first["id"] not in page.text
    assert len(pictures(page.text)) == 1


async def test_an_earlier_link_shows_the_proof_for_an_hour_after_the_secret(
    acme: Firm, house: House
) -> None:
    order = await delivered(Courier(acme))
    link = await link_of(Courier(acme), order)
    async with stranger(house) as client:
        page = await client.get(link)
        assert "Show proof of delivery" in page.text
        assert pictures(page.text) == []
        path = link.replace("?", "/proof?")
        assert "Confirm your details" in (await client.get(path)).text
        led = await client.post(link, data={"secret": "729826", "to": "/proof"})
        assert led.headers["location"] == path
        shown = await client.get(path, follow_redirects=True)
        assert "Signed by Ada Lovelace" in shown.text
        assert len(pictures(shown.text)) == 2
        house.clock.advance(minutes=61)
        late = await client.get(str(shown.url))
        assert pictures(late.text) == []
        assert "has expired" in late.text
        again = await client.get(path, follow_redirects=True)
        assert len(pictures(again.text)) == 2


async def test_the_secret_without_a_link_shows_no_proof(acme: Firm, house: House) -> None:
    order = await delivered(Courier(acme))
    path = f"/t/{order['tracking_number']['tracking_number']}"
    async with stranger(house) as client:
        await client.post(path, data={"secret": "729826", "to": "/proof"})
        shown = await client.get(f"{path}/proof", follow_redirects=True)
        assert "Delivered" in shown.text
        assert "Show proof" not in shown.text
        assert pictures(shown.text) == []


async def test_before_the_delivery_there_is_no_proof_to_show(acme: Firm, house: House) -> None:
    courier = Courier(acme)
    order = await courier.started(pickup=RAFFLES, dropoff={**MANDAI, "postal_code": "729826"})
    await courier.photographed(order)
    link = await link_of(courier, order)
    async with stranger(house) as client:
        assert "Show proof" not in (await client.get(link)).text
        await client.post(link, data={"secret": "729826", "to": "/proof"})
        shown = await client.get(link.replace("?", "/proof?"), follow_redirects=True)
        assert pictures(shown.text) == []
