"""Every change about money is told once, whoever or whatever caused it."""

from typing import Any
from uuid import UUID

import pytest

from fleet.depot import Depot
from orders.shop import Shop
from pannier.events.catalog import Name
from pannier.payments.transactions.events import list_changes
from pannier.payments.transactions.models import Transaction
from payments.bank import Bank
from payments.purse import AMOUNT, LINES, Purse
from payments.test_notices import session_of, tell
from payments.till import Till
from rates.counter import rate
from stage import NOON

KINDS = "transaction.created", "transaction.paid", "transaction.refunded", "transaction.voided"


@pytest.fixture
async def purse(striped: Till) -> Purse:
    return Purse(striped.firm)


async def told(purse: Purse) -> list[dict[str, Any]]:
    """The events about money so far, the oldest first."""
    return await Depot(purse.firm).told(*KINDS)


async def words(purse: Purse) -> list[tuple[str, str]]:
    return [(body["event"].partition(".")[2], body["data"]["status"]) for body in await told(purse)]


async def test_what_is_owed_and_paid_is_told_once(purse: Purse, bank: Bank) -> None:
    row = await purse.offered()
    pay = bank.pay(await session_of(purse, row))
    await tell(purse, pay, pay)
    assert await words(purse) == [("created", "unpaid"), ("paid", "paid")]
    data = (await told(purse))[-1]["data"]
    assert (data["id"], data["amount"], data["amount_paid"]) == (row["id"], AMOUNT, AMOUNT)
    assert "void_reason" not in data


async def test_each_refund_that_succeeded_is_told_once(purse: Purse, bank: Bank) -> None:
    row = await purse.offered()
    await tell(purse, bank.pay(await session_of(purse, row)))
    bank.refund_status = "pending"
    await purse.refund(row["id"], amount=200, reason="Late.")
    await purse.work()
    assert [word for word, _ in await words(purse)] == ["created", "paid"]
    (made,) = bank.refunds.values()
    done = bank.event("refund.updated", made | {"status": "succeeded"})
    await tell(purse, done, done)
    payment = made["payment_intent"]
    bank.refund_status = "succeeded"
    await tell(purse, bank.give_back(payment, AMOUNT - 200))
    assert (await words(purse))[2:] == [
        ("refunded", "partially_refunded"), ("refunded", "refunded"),
    ]  # fmt: skip


async def test_a_refund_that_comes_back_is_no_payment(purse: Purse, bank: Bank) -> None:
    row = await purse.offered()
    await tell(purse, bank.pay(await session_of(purse, row)))
    await purse.refund(row["id"])
    await purse.work()
    (made,) = bank.refunds.values()
    await tell(purse, bank.event("refund.failed", made | {"status": "failed"}))
    assert [word for word, _ in await words(purse)] == ["created", "paid", "refunded"]


async def test_what_is_called_off_is_told_once_and_late_money_is_no_payment(
    purse: Purse, bank: Bank
) -> None:
    row = await purse.offered()
    late = bank.pay(await session_of(purse, row))
    await purse.void(row["id"])
    await purse.void(row["id"])
    await tell(purse, late)
    await purse.work()
    assert await words(purse) == [
        ("created", "unpaid"), ("voided", "voided"), ("refunded", "voided"),
    ]  # fmt: skip


async def test_what_was_lost_and_paid_again_is_told_again(purse: Purse, bank: Bank) -> None:
    row = await purse.offered()
    first = await session_of(purse, row)
    await tell(purse, bank.pay(first), bank.dispute(f"pi_{first}", "lost", news="closed"))
    again = (await purse.firm.api.post(f"/v1/transactions/{row['id']}/checkout", json={})).json()
    await tell(purse, bank.pay(await session_of(purse, again)))
    assert [word for word, _ in await words(purse)] == ["created", "paid", "paid"]
    assert (await told(purse))[-1]["data"]["amount_disputed"] == AMOUNT


async def test_what_costs_nothing_is_only_created(purse: Purse) -> None:
    await purse.owe(lines=())
    await purse.owe(lines=LINES)
    assert await words(purse) == [("created", "paid"), ("created", "unpaid")]


@pytest.mark.parametrize(
    ("charge", "said"),
    [
        ("keep", []),
        ("void", [("voided", "voided"), ("refunded", "voided")]),
        ("return_fee", [("refunded", "paid")]),
    ],
)
async def test_an_order_that_came_back_tells_what_became_of_its_price(
    purse: Purse, bank: Bank, charge: str, said: list[tuple[str, str]]
) -> None:
    fee = {"return_fee": "50%"} if charge == "return_fee" else {}
    settings = {"undelivered_charge": charge, **fee}
    assert (await purse.firm.admin.patch("/int/v1/settings", json=settings)).is_success
    shop = Shop(purse.firm)
    await rate(shop.firm, base_fee=AMOUNT)
    order = await shop.order()
    path = f"/v1/orders/{order['id']}"
    (quote,) = (await shop.firm.api.get(f"{path}/service-quotes")).json()
    owed = (await shop.firm.api.post(f"/v1/service-quotes/{quote['id']}/accept", json={})).json()
    await tell(purse, bank.pay(await session_of(purse, owed)))
    before = [("created", "unpaid"), ("paid", "paid")]
    assert await words(purse) == before
    for step, body in (
        ("dispatch", {"driver": (await Depot(shop.firm).driver())["id"]}),
        ("start", {}),
        ("fail-attempt", {"reason": "refused"}),
        ("complete", {}),
    ):
        answer = await shop.firm.api.post(f"{path}/{step}", json=body)
        assert answer.is_success, (step, answer.text)
    await purse.work()
    assert await words(purse) == [*before, *said]


def state(status: Any, amount: int, paid: int, refunded: int = 0) -> Transaction:
    """Write down how a transaction stands."""
    return Transaction(
        uuid=UUID(int=1), public_id="transaction_1", company=UUID(int=2), created_at=NOON,
        updated_at=NOON, version=1, amount=amount, currency="SGD", status=status,
        amount_paid=paid, amount_refunded=refunded,
        voided_at=NOON if status == "voided" else None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        (state("unpaid", 12, 0), state("partially_paid", 12, 5), []),
        (state("partially_paid", 12, 5), state("paid", 12, 12), ["paid"]),
        # A credit, whose new amount may be written before the rest.
        (state("partially_paid", 12, 5), state("paid", 5, 5), ["paid"]),
        (state("partially_paid", 5, 5), state("paid", 5, 5), ["paid"]),
        (state("unpaid", 12, 0), state("paid", 0, 0), []),
        (state("paid", 12, 12), state("paid", 12, 24), []),
        (state("paid", 12, 12), state("refunded", 12, 12, 12), ["refunded"]),
        (state("refunded", 12, 12, 12), state("paid", 12, 12), []),
        (state("refunded", 12, 12, 12), state("paid", 12, 24, 12), ["paid"]),
        (state("unpaid", 12, 0), state("voided", 12, 0), ["voided"]),
        (state("voided", 12, 0), state("voided", 12, 12), []),
        (state("voided", 12, 12), state("voided", 12, 12, 12), ["refunded"]),
    ],
)
def test_what_is_told_of_a_change(
    before: Transaction, after: Transaction, names: list[str]
) -> None:
    assert list_changes(before, after) == [Name(f"transaction.{name}") for name in names]


async def test_events_about_money_are_of_their_orders_thread(purse: Purse) -> None:
    order = await purse.order()
    row = await purse.offered(order=order)
    thread = await purse.firm.house.value(
        "select thread from events where subject = :id", id=row["id"]
    )
    assert thread == order.public_id


async def placed(purse: Purse) -> tuple[Shop, dict[str, Any], dict[str, Any]]:
    """Place an order whose quote of 12.00 is accepted."""
    shop = Shop(purse.firm)
    await rate(shop.firm, base_fee=AMOUNT)
    order = await shop.order()
    (quote,) = (await shop.firm.api.get(f"/v1/orders/{order['id']}/service-quotes")).json()
    owed = (await shop.firm.api.post(f"/v1/service-quotes/{quote['id']}/accept", json={})).json()
    return shop, order, owed


async def test_money_that_somebody_recorded_is_told_once_it_is_all_there(purse: Purse) -> None:
    shop, _, owed = await placed(purse)
    path = f"/v1/transactions/{owed['id']}"
    for amount in (500, 700, 100):
        body = {"method": "cash", "amount": amount}
        assert (await shop.firm.api.post(f"{path}/payments", json=body)).status_code == 201
    assert await words(purse) == [("created", "unpaid"), ("paid", "paid")]
    for amount in (100, 200):
        answer = await shop.firm.api.post(f"{path}/refund", json={"amount": amount})
        assert answer.status_code == 200, answer.text
    assert [word for word, _ in await words(purse)][2:] == ["refunded", "refunded"]


async def test_each_charge_and_credit_is_told_once_but_not_a_quotes_lines(purse: Purse) -> None:
    shop, order, owed = await placed(purse)
    for kind, amount in (("waiting", 850), ("goodwill", -300)):
        body = {"kind": kind, "description": "By hand", "amount": amount, "reason": "Ask Ada."}
        answer = await shop.firm.api.post(f"/v1/orders/{order['id']}/charges", json=body)
        assert answer.status_code == 201, answer.text
    charges = [body["data"] for body in await Depot(purse.firm).told("charge.created")]
    assert [(each["kind"], each["amount"]) for each in charges] == [
        ("waiting", 850), ("goodwill", -300),
    ]  # fmt: skip
    assert {(each["order"], each["transaction"]) for each in charges} == {
        (order["id"], owed["id"]),
    }  # fmt: skip
    assert not {"reason", "description", "actor"} & charges[0].keys()
    assert await words(purse) == [("created", "unpaid")]


async def test_a_charge_after_everything_was_paid_tells_of_another_debt(purse: Purse) -> None:
    shop, order, owed = await placed(purse)
    path = f"/v1/transactions/{owed['id']}/payments"
    assert (await shop.firm.api.post(path, json={"method": "transfer"})).is_success
    body = {"kind": "waiting", "description": "By hand", "amount": 850}
    assert (await shop.firm.api.post(f"/v1/orders/{order['id']}/charges", json=body)).is_success
    kinds = ("transaction.created", "charge.created")
    (_, debt, charge) = await Depot(purse.firm).told(*kinds)
    assert (debt["event"], charge["event"]) == kinds
    assert charge["data"]["transaction"] == debt["data"]["id"] != owed["id"]
    assert debt["data"]["balance"] == 850


async def test_a_credit_that_leaves_nothing_to_pay_tells_that_it_is_paid(purse: Purse) -> None:
    shop, order, owed = await placed(purse)
    path = f"/v1/transactions/{owed['id']}/payments"
    await shop.firm.api.post(path, json={"method": "cash", "amount": 900})
    body = {"kind": "goodwill", "description": "Late", "amount": -300}
    assert (await shop.firm.api.post(f"/v1/orders/{order['id']}/charges", json=body)).is_success
    assert await words(purse) == [("created", "unpaid"), ("paid", "paid")]


async def test_a_canceled_order_tells_that_its_price_is_void(purse: Purse) -> None:
    shop, order, _ = await placed(purse)
    await shop.firm.api.post(f"/v1/orders/{order['id']}/cancel", json={"reason": "Rain."})
    assert await words(purse) == [("created", "unpaid"), ("voided", "voided")]
