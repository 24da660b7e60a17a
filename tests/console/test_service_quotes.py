"""Quotes at the console: tiers side by side, why others have no price, accepted and made anew."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page as Tab

import stage
from console.reading import Element
from console.seat import Seat
from pannier.db import Database
from pannier.kit.clock import ManualClock
from stage import Firm

HOME = "/console/service-quotes"
FROM_TO = {"pickup": "1.2840,103.8510", "dropoff": "1.3521,103.8198"}
ASKED = "pickup=1.2840,103.8510&dropoff=1.3521,103.8198"
RATES: list[dict[str, Any]] = [
    {"service_name": "Express", "service_type": "express", "currency": "SGD",
     "rate_calculation_method": "fixed_rate", "base_fee": 2000, "duration_terms": "Today"},
    {"service_name": "Economy", "service_type": "economy", "currency": "SGD",
     "rate_calculation_method": "fixed_rate", "base_fee": 900},
    {"service_name": "Heavy", "service_type": "freight", "currency": "SGD", "min_weight": 100,
     "rate_calculation_method": "fixed_rate", "base_fee": 5000},
]  # fmt: skip


async def priced(firm: Firm) -> dict[str, Any]:
    """Have rates, and an order that is quoted by them; answer the order."""
    for rate in RATES:
        made = await firm.api.post("/v1/service-rates", json=rate)
        assert made.status_code == 201, made.text
    order: dict[str, Any] = (await firm.api.post("/v1/orders", json=FROM_TO)).json()
    return order


async def quotes_of(firm: Firm, order: dict[str, Any]) -> dict[str, Any]:
    rows = (await firm.api.get(f"/v1/orders/{order['id']}/service-quotes")).json()
    return {row["service_name"]: row for row in rows if row["status"] == "open"}


def tiers(main: Element) -> list[str]:
    """Read what each tier is called and costs."""
    return [
        f"{one.one('h2').text} {one.one('p', class_='amount').text}"
        for one in main.all("li", class_="tier")
    ]


async def test_quotes_of_all_orders_are_listed_and_those_of_one_found(
    acme: Firm, seat: Seat
) -> None:
    order = await priced(acme)
    await acme.api.post("/v1/orders", json=FROM_TO)
    assert len((await seat.open(HOME)).rows()) == 4
    rows = (await seat.open(f"{HOME}?order={order['id']}&state=open")).rows()
    assert sorted(row[1] for row in rows) == ["20.00 SGD", "9.00 SGD"]
    assert {row[3] for row in rows} == {order["tracking_number"]["tracking_number"]}


async def test_a_quote_stands_beside_the_others_of_its_order_and_says_why_there_are_no_more(
    acme: Firm, seat: Seat
) -> None:
    quote = (await quotes_of(acme, await priced(acme)))["Express"]
    page = await seat.open(f"{HOME}/{quote['id']}")
    assert tiers(page.main) == ["Economy 9.00 SGD", "Express 20.00 SGD"]
    assert page.main.one("li", aria_current="true").one("h2").text == "Express"
    assert len(page.main.all("time", class_="until")) == 2
    (why,) = [row for row in page.rows() if row[0] == "Heavy"]
    assert why[1]


async def test_accepting_twice_owes_once_and_leads_to_what_is_owed(
    database: Database, clock: ManualClock, tmp_path: Path
) -> None:
    house = await stage.build(
        database, clock, str(tmp_path), payments="fake", test_payments_on_live="true"
    )
    firm = await house.found("Acme")
    quote = (await quotes_of(firm, await priced(firm)))["Express"]
    seat = await Seat.of(firm)
    first = await seat.send(f"{HOME}/accept", {"quote": quote["id"]})
    again = await seat.send(f"{HOME}/accept", {"quote": quote["id"]})
    assert first.headers["Location"] == again.headers["Location"]
    page = await seat.open(first.headers["Location"])
    assert "Open payment page" in page.main.text
    (owed,) = (await firm.api.get("/v1/transactions")).json()
    assert owed["amount"] == 2000
    page = await seat.open(f"{HOME}/{quote['id']}")
    assert "Accepted" in page.main.text
    assert owed["checkout_url"] in page.links()
    assert not page.root.all("form", action=f"{HOME}/accept")
    log = (await firm.admin.get("/int/v1/audit")).json()["data"]
    assert {one["actor_type"] for one in log if one["subject"] == quote["id"]} == {"operator"}


@pytest.mark.slow
async def test_an_expired_quote_is_refused_in_words_and_priced_again_in_place(
    acme: Firm, seat: Seat, clock: ManualClock
) -> None:
    quote = (await quotes_of(acme, await priced(acme)))["Express"]
    clock.advance(hours=1)
    home = f"{HOME}/{quote['id']}"
    page = await seat.open(home)
    assert "This quote has expired." in page.main.text
    assert not page.root.all("form", action=f"{HOME}/accept")
    refused = await seat.send(f"{HOME}/accept", {"quote": quote["id"]})
    assert "pannier_refused" in refused.headers["set-cookie"]
    page = await seat.sent(f"{home}/renew")
    assert tiers(page.main) == ["Economy 9.00 SGD", "Express 20.00 SGD"]
    assert page.main.one("li", aria_current="true").one("h2").text == "Express"
    assert "Order requoted." in page.root.one("div", id="toasts").text
    assert "replaced" in (await seat.open(home)).main.text


async def test_a_shipment_without_an_order_is_priced_by_all_rates(acme: Firm, seat: Seat) -> None:
    await priced(acme)
    page = await seat.open(f"{HOME}/new?{ASKED}")
    assert tiers(page.main) == ["Economy 9.00 SGD", "Express 20.00 SGD"]
    page = await seat.open(f"{HOME}/new?{ASKED}&weight=60&count=2")
    assert tiers(page.main) == ["Economy 9.00 SGD", "Express 20.00 SGD", "Heavy 50.00 SGD"]
    page = await seat.open(f"{HOME}/new?{ASKED}&service_type=express")
    assert tiers(page.main) == ["Express 20.00 SGD"]
    assert {"Economy", "Heavy"} <= {row[0] for row in page.rows()}


async def test_what_is_missing_of_a_shipment_is_told_by_its_field(seat: Seat) -> None:
    page = await seat.open(f"{HOME}/new?pickup=1.2840,103.8510")
    assert "Drop-off: This field is required." in page.main.text
    page = await seat.open(f"{HOME}/new?{ASKED}&cash=much")
    assert "Cash on delivery: “much” is not a number." in page.main.text


async def test_a_quote_without_an_order_is_accepted(acme: Firm, seat: Seat) -> None:
    await priced(acme)
    page = await seat.open(f"{HOME}/new?{ASKED}")
    signed = page.main.all("input", name="quote")[0]["value"]
    page = await seat.sent(f"{HOME}/accept", {"quote": signed})
    assert "9.00 SGD" in page.main.text
    (owed,) = (await acme.api.get("/v1/transactions")).json()
    page = await seat.open(f"{HOME}/{owed['service_quote']}")
    assert tiers(page.main) == ["Economy 9.00 SGD"]


async def test_who_only_looks_is_offered_no_price_to_accept(acme: Firm, seat: Seat) -> None:
    quote = (await quotes_of(acme, await priced(acme)))["Express"]
    viewer = await Seat.of(acme, "viewer")
    page = await viewer.open(f"{HOME}/{quote['id']}")
    assert not page.main.all("form")
    await viewer.send(f"{HOME}/accept", {"quote": quote["id"]})
    assert (await acme.api.get("/v1/transactions")).json() == []
    assert "Accept" in (await seat.open(f"{HOME}/{quote['id']}")).main.text


@pytest.mark.slow
async def test_a_quote_is_shown_counted_down_and_accepted_in_the_browser(
    page: Tab, acme: Firm
) -> None:
    await priced(acme)
    await page.goto(HOME)
    await page.get_by_role("link", name="Express").click()
    await page.wait_for_url(f"**{HOME}/quote_*")
    assert await page.locator("time.until").count() == 2
    tier = page.locator(".tier", has_text="Express")
    await tier.get_by_role("button", name="Accept").click()
    await page.locator("#sure").get_by_role("button", name="Accept").click()
    await page.wait_for_url("**/console/transactions/transaction_*")
    await page.get_by_text("20.00 SGD").first.wait_for()


@pytest.mark.slow
async def test_a_shipment_is_priced_while_one_types_and_the_address_says_it(
    page: Tab, acme: Firm
) -> None:
    await priced(acme)
    await page.goto(f"{HOME}/new?{ASKED}")
    assert await page.locator(".tier").count() == 2
    await page.fill("[name=weight]", "120")
    await page.locator(".tier", has_text="Heavy").wait_for()
    await page.wait_for_url("**weight=120*")
