"""The account of an order on its page: charges, credits, payments, and what needs attention."""

from pathlib import Path
from typing import Any

import pytest

import stage
from console.reading import Element, Page
from console.seat import Seat
from contract.test_money import accepted, account, charge, record
from orders.shop import CHANGI, Shop
from orders.test_price_status import configure, pay, settle
from orders.test_quotes import FLAT
from pannier.db import Database
from pannier.kit.clock import ManualClock
from rates.counter import BY_KILOMETRE, rate


@pytest.fixture
async def shop(database: Database, clock: ManualClock, tmp_path: Path) -> Shop:
    """A test company with the fake gateway."""
    house = await stage.build(database, clock, str(tmp_path), payments="fake")
    return Shop(await house.found("Acme", mode="test"))


async def open_order(seat: Seat, order: dict[str, Any]) -> Page:
    return await seat.open(f"/console/orders/{order['id']}")


def charges(page: Page) -> Element:
    return page.main.one("section", aria_labelledby="charges")


def banners(page: Page) -> list[str]:
    return [each.text for each in page.main.all("div", class_="banner")]


async def test_the_page_of_an_order_shows_its_charges_and_what_is_owed(shop: Shop) -> None:
    await rate(shop.firm, **FLAT)
    await configure(shop, tax_rate=25.5)
    order = await accepted(shop)
    await charge(shop, order, amount=1255, reason="The ramp was blocked.")
    await record(shop, order, amount=400)
    seat = await Seat.of(shop.firm)
    section = charges(await open_order(seat, order))
    waiting = "Waited 25 minutes at the dock Waiting The ramp was blocked. Test (API key)"
    assert waiting in section.text
    assert "2.55 SGD 25.5% 12.55 SGD" in section.text
    assert "Paid 4.00 SGD Outstanding 17.55 SGD" in section.text
    assert "Partially paid" in section.text
    links = [link["href"] for link in section.all("a")]
    assert links == [
        f"/console/transactions/{order['transaction']}",
        f"/console/transactions/{order['transaction']}?do=payment",
    ]
    for role, may_change in (("viewer", False), ("dispatcher", True), ("billing", True)):
        page = await open_order(await Seat.of(shop.firm, role), order)
        assert "Outstanding 17.55 SGD" in charges(page).text
        assert bool(page.main.all("dialog", id="do-charge")) is may_change
        assert ("Record payment" in charges(page).text) is may_change


@pytest.mark.parametrize(
    ("kind", "amount", "saved"),
    [
        ("waiting", "8,50", ("waiting", 850)),
        ("other", "1.234,50", ("other", 123450)),
        ("goodwill", "2.5", ("goodwill", -250)),
        ("credit", "1", ("other", -100)),
    ],
)
async def test_an_operator_adds_charges_and_credits(
    shop: Shop, kind: str, amount: str, saved: tuple[str, int]
) -> None:
    await rate(shop.firm, **FLAT)
    order = await accepted(shop)
    seat = await Seat.of(shop.firm, "billing")
    dialog = (await open_order(seat, order)).main.one("dialog", id="do-charge")
    assert "Amount in SGD" in dialog.text
    form = {"kind": kind, "amount": amount, "description": "Agreed.", "tax_rate": "10,5"}
    page = await seat.sent(f"/console/orders/{order['id']}/charge", form)
    assert "Charge added." in page.root.one("div", id="toasts").text
    line = (await account(shop, order))["lines"][-1]
    assert (line["kind"], line["amount"], line["tax_rate"]) == (*saved, 10.5)
    assert line["actor"]["kind"] == "operator"


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"amount": "-5"}, "Enter the amount without a minus sign."),
        ({"amount": "0.001"}, "An amount in SGD has at most 2 decimal digits."),
        ({"kind": "discount", "amount": "10"}, "The credit must not exceed the total of the order"),
        ({"description": ""}, "Description"),
    ],
)
async def test_a_refused_charge_shows_its_form_again(
    shop: Shop, form: dict[str, str], reason: str
) -> None:
    await rate(shop.firm, **FLAT)
    order = await accepted(shop)
    seat = await Seat.of(shop.firm)
    sent = {"kind": "waiting", "amount": "5", "description": "Agreed."} | form
    answer = await seat.send(f"/console/orders/{order['id']}/charge", sent)
    assert answer.status_code == 422
    dialog = Page(answer.text).main.one("dialog", id="do-charge")
    assert "open" in dialog.attributes
    assert reason in dialog.text
    assert dialog.one("input", name="amount")["value"] == sent["amount"]
    assert (await account(shop, order))["total"] == 900


async def test_amounts_have_the_decimals_of_their_currency(shop: Shop) -> None:
    await rate(shop.firm, **FLAT | {"currency": "KWD"})
    order = await accepted(shop)
    seat = await Seat.of(shop.firm)
    form = {"kind": "waiting", "amount": "1,255", "description": "Waited."}
    refused = await seat.send(f"/console/orders/{order['id']}/charge", form | {"amount": "1.2555"})
    assert refused.status_code == 422
    await configure(shop, locale="de")
    await seat.sent(f"/console/orders/{order['id']}/charge", form)
    assert (await account(shop, order))["lines"][-1]["amount"] == 1255
    assert "1.255 KWD" in charges(await open_order(seat, order)).text


async def test_a_kept_price_names_the_distance_it_is_for(shop: Shop) -> None:
    await rate(shop.firm, **BY_KILOMETRE)
    await configure(shop, price_changes="keep")
    order = await accepted(shop)
    seat = await Seat.of(shop.firm)
    assert "Priced for" not in charges(await open_order(seat, order)).text
    changed = await shop.firm.api.patch(f"/v1/orders/{order['id']}", json={"dropoff": CHANGI})
    assert changed.status_code == 200, changed.text
    before, after = order["distance"] / 1000, changed.json()["distance"] / 1000
    text = charges(await open_order(seat, order)).text
    assert f"Priced for {before:.1f} km, now {after:.1f} km." in text


async def test_a_dispatched_order_without_a_price_offers_to_price_it(shop: Shop) -> None:
    await configure(shop, currency="SGD")
    order = await shop.ready()
    seat = await Seat.of(shop.firm)
    assert banners(await open_order(seat, order)) == []
    await shop.act(order, "dispatch")
    page = await open_order(seat, order)
    (banner,) = page.main.all("div", class_="banner")
    assert "No price. Nothing is charged for this order yet." in banner.text
    assert banner.one("form", action=f"/console/orders/{order['id']}/quote")
    await charge(shop, order)
    (text,) = banners(await open_order(seat, order))
    assert "No price. The order has other charges only." in text
    await shop.act(order, "cancel")
    assert not any("No price" in each for each in banners(await open_order(seat, order)))


async def test_a_paid_order_that_is_canceled_asks_for_a_decision(shop: Shop) -> None:
    await rate(shop.firm, **FLAT)
    await configure(shop, cancellation_refund="manual")
    order = await accepted(shop)
    await pay(shop, order)
    seat = await Seat.of(shop.firm)
    assert banners(await open_order(seat, order)) == []
    await shop.act(order, "cancel")
    page = await open_order(seat, order)
    (banner,) = page.main.all("div", class_="banner")
    assert "Canceled, but 9.00 SGD is paid. Refund it, or keep it. Refund 9.00 SGD" in banner.text
    assert banner.one("a")["href"] == f"/console/transactions/{order['transaction']}?do=refund"
    dispatcher = await open_order(await Seat.of(shop.firm, "dispatcher"), order)
    assert not dispatcher.main.one("div", class_="banner").all("a")
    await seat.sent(f"/console/transactions/{order['transaction']}/refund", {"amount": ""})
    await settle(shop)
    assert banners(await open_order(seat, order)) == []


async def test_cash_for_a_canceled_order_is_to_be_returned(shop: Shop) -> None:
    await rate(shop.firm, **FLAT)
    await configure(shop, cancellation_refund="automatic")
    order = await accepted(shop)
    await record(shop, order, method="cash")
    await shop.act(order, "cancel")
    seat = await Seat.of(shop.firm)
    page = await open_order(seat, order)
    (text,) = banners(page)
    assert "Canceled, but 9.00 SGD is paid. Refund it. Refund 9.00 SGD" in text
    assert "Credit 9.00 SGD" in charges(page).text


async def test_cards_and_rows_show_what_is_still_to_be_paid(shop: Shop) -> None:
    await rate(shop.firm, **FLAT)
    unpaid, part_paid, paid, overpaid = [await accepted(shop) for _ in range(4)]
    free = await shop.order()
    await record(shop, part_paid, amount=400)
    await record(shop, paid)
    await record(shop, overpaid, amount=1000)
    due = {
        unpaid["id"]: "Unpaid 9.00 SGD",
        part_paid["id"]: "Due 5.00 SGD",
        overpaid["id"]: "Credit 1.00 SGD",
    }
    seat = await Seat.of(shop.firm)
    board = await seat.open("/console/orders")
    cards = {card["id"]: card.text for card in board.main.all("li", class_="order")}
    assert cards.keys() == due.keys() | {paid["id"], free["id"]}
    for order, text in cards.items():
        assert due.get(order, "") in text
        assert ("SGD" in text) is (order in due)
    table = await seat.open("/console/orders?layout=table")
    rows = {row[1]: row[7] for row in table.rows()}
    number = paid["tracking_number"]["tracking_number"]
    assert rows[number] == "Paid"
    assert sorted(rows.values()) == sorted([*due.values(), "Paid", "\N{EN DASH}"])


async def test_orders_are_filtered_by_payment(shop: Shop) -> None:
    await rate(shop.firm, **FLAT)
    names = ("unpaid", "part_paid", "paid", "overpaid")
    orders = {name: await accepted(shop) for name in names} | {"free": await shop.order()}
    await record(shop, orders["part_paid"], amount=400)
    await record(shop, orders["paid"])
    await record(shop, orders["overpaid"], amount=1000)
    choices: dict[str, set[str]] = {
        "payment_status=owed": {"unpaid", "part_paid"},
        "payment_status=unpaid": {"unpaid"},
        "payment_status=partially_paid": {"part_paid"},
        "payment_status=paid": {"paid"},
        "payment_status=credit": {"overpaid"},
        "payment_status=none": {"free"},
        "balance_min=900": {"unpaid"},
        "price_status=unpriced": set(),
    }
    seat = await Seat.of(shop.firm)
    for choice, found in choices.items():
        table = await seat.open(f"/console/orders?layout=table&{choice}")
        shown = {row["data-href"].rpartition("/")[2] for row in table.main.all("tr", tabindex="-1")}
        assert shown == {orders[name]["id"] for name in found}, choice
        board = await seat.open(f"/console/orders?{choice}")
        assert {card["id"] for card in board.main.all("li", class_="order")} == shown, choice
