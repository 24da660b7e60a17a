"""Transactions at the console: read line by line, called off, given back whole or in part."""

from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

import stage
from console.reading import Page, sent_by
from console.seat import Seat
from pannier.db import Database
from pannier.kit.clock import ManualClock
from pannier.payments import facts
from pannier.payments.settlement import GatewayFact
from pannier.payments.transactions.models import ChargeLine
from payments.purse import Purse
from stage import NOON, Firm


@pytest.fixture
async def firm(database: Database, clock: ManualClock, tmp_path: Path) -> Firm:
    """A company whose customers pay at the fake gateway."""
    house = await stage.build(
        database, clock, str(tmp_path), payments="fake", test_payments_on_live="true"
    )
    return await house.found("Acme")


@pytest.fixture
def purse(firm: Firm) -> Purse:
    return Purse(firm)


async def paid(purse: Purse) -> str:
    """Owe and pay something at the fake gateway; answer its id."""
    told = await purse.offered()
    await purse.pay(told)
    return str(told["id"])


async def test_a_transaction_is_shown_line_by_line_with_the_page_to_pay_on(
    firm: Firm, purse: Purse
) -> None:
    told = await purse.offered()
    seat = await Seat.of(firm)
    (row,) = (await seat.open("/console/transactions")).rows()
    assert row[:3] == [f"Transaction {told['id'][-4:]}", "Unpaid", "12.00 SGD"]
    page = await seat.open(f"/console/transactions/{told['id']}")
    assert ["9.321 km at 0.80", "7.46 SGD"] in page.rows()
    assert told["checkout_url"] in page.links()
    assert "Total 12.00 SGD Paid 0.00 SGD Outstanding 12.00 SGD" in page.main.text


async def test_what_nobody_has_paid_is_called_off_with_the_operator_as_actor(
    firm: Firm, purse: Purse
) -> None:
    told = await purse.offered()
    seat = await Seat.of(firm)
    await seat.send(f"/console/transactions/{told['id']}/void", {"reason": "Ordered twice."})
    read = await purse.read(told["id"])
    assert (read["status"], read["void_reason"]) == ("voided", "Ordered twice.")
    log = (await firm.admin.get("/int/v1/audit")).json()["data"]
    (entry,) = [one for one in log if one["subject"] == told["id"]]
    assert entry["actor_type"] == "operator"


@pytest.mark.parametrize("amount", ["5.5", "5,5"])
async def test_a_part_is_given_back_as_it_was_typed(firm: Firm, purse: Purse, amount: str) -> None:
    identifier = await paid(purse)
    seat = await Seat.of(firm)
    home = f"/console/transactions/{identifier}"
    page = await seat.sent(f"{home}/refund", {"amount": amount, "reason": "Late."})
    assert "Refund requested" in page.root.one("div", id="toasts").text
    assert (await purse.read(identifier))["refunds"][0]["amount"] == 550
    await seat.send(f"{home}/refund", {"amount": ""})
    assert [one["amount"] for one in (await purse.read(identifier))["refunds"]] == [550, 650]


@pytest.mark.parametrize(
    ("amount", "reason"),
    [
        ("much", "is not a number"),
        ("0.005", "An amount in SGD has at most 2 decimal digits."),
        ("99", "must not exceed the amount left to refund, 12.00 SGD."),
    ],
)
async def test_an_amount_that_cannot_be_given_back_is_refused_beside_its_field(
    firm: Firm, purse: Purse, amount: str, reason: str
) -> None:
    identifier = await paid(purse)
    seat = await Seat.of(firm)
    home = f"/console/transactions/{identifier}"
    answer = await seat.send(f"{home}/refund", {"amount": amount})
    assert answer.status_code == 422
    dialog = Page(answer.text).root.one("dialog", id="do-refund")
    assert dialog.one("input", name="amount")["value"] == amount
    assert reason in dialog.text
    assert (await purse.read(identifier))["refunds"] == []


async def test_money_outside_a_gateway_is_recorded_and_shown(firm: Firm, purse: Purse) -> None:
    told = await purse.offered()
    seat = await Seat.of(firm, "billing")
    home = f"/console/transactions/{told['id']}"
    dialog = (await seat.open(home)).root.one("dialog", id="do-payment")
    assert "Amount in SGD" in dialog.text
    assert "Leave empty for the full amount owed: 12.00 SGD." in dialog.text
    form = {"amount": "5,50", "method": "check", "reference": "No. 17"}
    page = await seat.sent(f"{home}/payment", form)
    assert "Payment recorded." in page.root.one("div", id="toasts").text
    assert "Paid 5.50 SGD Outstanding 6.50 SGD" in page.main.text
    assert (
        "Check 5.50 SGD No. 17" in page.main.one("section", aria_labelledby="payments-title").text
    )
    await seat.sent(f"{home}/payment", {"amount": "", "method": "cash", "received_at": ""})
    read = await purse.read(told["id"])
    assert [one["amount"] for one in read["payments"]] == [550, 650]
    assert (read["status"], read["balance"]) == ("paid", 0)
    page = await seat.open(home)
    assert not page.root.all("dialog", id="do-payment")


async def test_a_payment_that_is_sent_from_an_outdated_page_is_not_recorded(
    firm: Firm, purse: Purse
) -> None:
    told = await purse.offered()
    seat = await Seat.of(firm)
    home = f"/console/transactions/{told['id']}"
    version = sent_by((await seat.open(home)).root.one("dialog", id="do-payment"))["version"]
    form = {"amount": "5", "method": "cash", "version": version}
    await seat.sent(f"{home}/payment", form)
    await seat.send(f"{home}/payment", {**form, "amount": "6"})
    assert [one["amount"] for one in (await purse.read(told["id"]))["payments"]] == [500]


@pytest.mark.parametrize(
    ("currency", "typed", "minor", "shown"),
    [("JPY", "850", 850, "850 JPY"), ("KWD", "1.250", 1250, "1.250 KWD")],
)
async def test_amounts_have_the_digits_of_their_currency(
    firm: Firm, purse: Purse, currency: str, typed: str, minor: int, shown: str
) -> None:
    row = await purse.owe((ChargeLine(code="BASE_FEE", details="Base", amount=5000),), currency)
    seat = await Seat.of(firm)
    home = f"/console/transactions/{row.public_id}"
    page = await seat.sent(f"{home}/payment", {"amount": typed, "method": "cash"})
    assert f"Paid {shown}" in page.main.text
    assert [one["amount"] for one in (await purse.read(row.public_id))["payments"]] == [minor]


async def test_each_line_shows_its_kind_and_its_tax(firm: Firm, purse: Purse) -> None:
    lines = (
        ChargeLine(code="BASE_FEE", details="Base fee", amount=1255, tax_rate=Decimal("25.5"),
                   tax_amount=255),
        ChargeLine(kind="waiting", code="WAITING", details="Waited", amount=100),
    )  # fmt: skip
    row = await purse.owe(lines)
    page = await (await Seat.of(firm)).open(f"/console/transactions/{row.public_id}")
    sums = page.main.one("section", id="sums").text
    assert "Base fee incl. 25.5% tax 12.55 SGD" in sums
    assert "Waited Waiting 1.00 SGD" in sums
    assert "Total 13.55 SGD Of this, tax 2.55 SGD" in sums


async def test_who_only_looks_is_offered_nothing_and_refused(firm: Firm, purse: Purse) -> None:
    identifier = await paid(purse)
    viewer = await Seat.of(firm, "viewer")
    home = f"/console/transactions/{identifier}"
    page = await viewer.open(home)
    assert "Refund" not in page.main.text
    assert "Refund" in (await (await Seat.of(firm)).open(home)).main.text
    await viewer.send(f"{home}/refund", {})
    assert "This requires the billing role" in (await viewer.open(home)).main.text


async def test_who_owes_is_called_by_name(acme: Firm, seat: Seat) -> None:
    rate = {"service_name": "Flat", "service_type": "flat", "currency": "SGD",
            "rate_calculation_method": "fixed_rate", "base_fee": 900}  # fmt: skip
    await acme.api.post("/v1/service-rates", json=rate)
    for kind, name in (("contacts", "Ada Lovelace"), ("vendors", "Swift")):
        payer = (await acme.api.post(f"/v1/{kind}", json={"name": name})).json()
        ends = {"pickup": "1.2840,103.8510", "dropoff": "1.3521,103.8198"}
        order = (await acme.api.post("/v1/orders", json={**ends, "customer": payer["id"]})).json()
        (quote,) = (await acme.api.get(f"/v1/orders/{order['id']}/service-quotes")).json()
        owed = (await acme.api.post(f"/v1/service-quotes/{quote['id']}/accept", json={})).json()
        page = await seat.open(f"/console/transactions/{owed['id']}")
        assert f"/console/{kind}/{payer['id']}" in page.links()
    assert "Ada Lovelace" in (await seat.open("/console/transactions")).main.text


async def test_everything_on_the_page_that_a_payment_changes_is_refreshed_together(
    firm: Firm, purse: Purse
) -> None:
    page = await (await Seat.of(firm)).open(f"/console/transactions/{await paid(purse)}")
    regions = [
        page.root.one("header", id="head"),
        *(page.main.one("section", id=name) for name in ("facts", "sums")),
    ]
    changes = "order. transaction. charge."
    # The bell is in the header.
    assert [region["data-live-on"] for region in regions] == [f"{changes} alert.", changes, changes]


async def test_an_order_that_is_charged_again_lists_each_transaction(
    acme: Firm, seat: Seat
) -> None:
    rate = {"service_name": "Flat", "service_type": "flat", "currency": "SGD",
            "rate_calculation_method": "fixed_rate", "base_fee": 900}  # fmt: skip
    await acme.api.post("/v1/service-rates", json=rate)
    ends = {"pickup": "1.2840,103.8510", "dropoff": "1.3521,103.8198"}
    order = (await acme.api.post("/v1/orders", json=ends)).json()
    owed = []
    for _ in range(2):
        (quote,) = (await acme.api.post(f"/v1/orders/{order['id']}/service-quotes")).json()
        accepted = await acme.api.post(f"/v1/service-quotes/{quote['id']}/accept", json={})
        owed.append(accepted.json()["id"])
        if len(owed) == 1:
            await acme.admin.post(f"/int/v1/transactions/{owed[0]}/void", json={})
    page = await seat.open(f"/console/orders/{order['id']}")
    shown = [each for each in page.links() if "/transactions/" in each and "?" not in each]
    assert shown == [f"/console/transactions/{name}" for name in reversed(owed)]
    text = page.main.one("section", aria_labelledby="charges").text
    assert "9.00 SGD Unpaid" in text
    assert "9.00 SGD Voided" in text


async def test_a_dispute_and_money_in_another_currency_are_shown(firm: Firm, purse: Purse) -> None:
    identifier = await paid(purse)
    checkout = await purse.firm.house.value("select uuid from checkouts")
    payment = await purse.firm.house.value("select payment from checkouts")
    fact = GatewayFact(
        kind="dispute", payment=payment, amount=500, currency="SGD", dispute="dp_1",
        dispute_state="needs_response", dispute_reason="product_not_received", funds="withdrawn",
        due_by=NOON + timedelta(days=7),
    )  # fmt: skip
    stray = GatewayFact(
        kind="paid", checkout=checkout, payment="pi_stray", amount=900, currency="USD"
    )
    async with purse.database.transaction() as db:
        await facts.record_facts(db, purse.gateway, fact, stray)
    seat = await Seat.of(firm)
    page = await seat.open(f"/console/transactions/{identifier}")
    (row,) = [row for row in page.rows() if row[-1] == "dp_1"]
    assert row[0].split() == ["Needs", "response", "Funds", "withdrawn"]
    assert row[1:3] == ["5.00 SGD", "Product not received"]
    assert ["9.00 USD", "pi_stray"] in [row[1:] for row in page.rows()]
    lost = msgspec.structs.replace(fact, dispute_state="lost")
    async with purse.database.transaction() as db:
        await facts.record_facts(db, purse.gateway, lost)
    page = await seat.open(f"/console/transactions/{identifier}")
    assert "Paid 7.00 SGD Lost to disputes 5.00 SGD Outstanding 5.00 SGD" in page.main.text


async def test_what_the_list_shows_is_downloaded(firm: Firm, purse: Purse) -> None:
    identifier = await paid(purse)
    await purse.owe()
    seat = await Seat.of(firm)
    page = await seat.open("/console/transactions?status=paid")
    whole, charges = [link for link in page.links() if "/export" in link]
    lines = (await seat.client.get(whole)).text.splitlines()
    assert [line.partition(",")[0] for line in lines] == ["id", identifier]
    lines = (await seat.client.get(charges)).text.splitlines()
    assert [line.split(",")[3] for line in lines] == [
        "code", "BASE_FEE", "DISTANCE_FEE", "MAXIMUM_ADJUSTMENT",
    ]  # fmt: skip
