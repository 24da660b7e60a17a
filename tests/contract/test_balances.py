"""What customers owe: `balances` of contacts and vendors, and the lists of those who owe."""

from typing import Any

import pytest

from contract.test_money import accepted, charge, record
from orders.shop import Shop
from orders.test_quotes import FLAT
from rates.counter import rate
from stage import Firm


@pytest.fixture
async def shop(acme: Firm) -> Shop:
    await rate(acme, **FLAT)
    return Shop(acme)


async def owing(shop: Shop, kind: str = "contacts", **more: Any) -> dict[str, Any]:
    """Make a customer who owes 9.00 for an order."""
    customer = await shop.post(kind, name="Ada")
    return {"order": await accepted(shop, customer=customer["id"], **more), **customer}


async def balances(shop: Shop, kind: str, customer: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await shop.get(f"{kind}/{customer['id']}"))["balances"]
    return found


@pytest.mark.parametrize("kind", ["contacts", "vendors"])
async def test_customers_carry_their_balances_by_currency(shop: Shop, kind: str) -> None:
    ada = await owing(shop, kind)
    assert await balances(shop, kind, ada) == [{"currency": "SGD", "amount": 900}]
    await charge(shop, ada["order"])
    await record(shop, ada["order"], amount=50)
    assert await balances(shop, kind, ada) == [{"currency": "SGD", "amount": 1700}]
    await rate(shop.firm, **FLAT | {"currency": "JPY", "base_fee": 500})
    order = await shop.ready(customer=ada["id"])
    quotes = await shop.get(f"orders/{order['id']}/service-quotes")
    (yen,) = [quote for quote in quotes if quote["currency"] == "JPY"]
    await shop.firm.api.post(f"/v1/service-quotes/{yen['id']}/accept", json={"order": order["id"]})
    assert await balances(shop, kind, ada) == [
        {"currency": "JPY", "amount": 500},
        {"currency": "SGD", "amount": 1700},
    ]
    await record(shop, ada["order"])
    assert await balances(shop, kind, ada) == [{"currency": "JPY", "amount": 500}]
    (row,) = [each for each in await shop.get(kind) if each["id"] == ada["id"]]
    assert row["balances"] == [{"currency": "JPY", "amount": 500}]


@pytest.mark.parametrize("kind", ["contacts", "vendors"])
async def test_customers_are_listed_by_what_they_owe(shop: Shop, kind: str) -> None:
    debtor, settled, creditor = [await owing(shop, kind) for _ in range(3)]
    await shop.post(kind, name="Bob")
    await record(shop, settled["order"])
    await record(shop, creditor["order"], amount=1000)

    async def listed(balance: str) -> list[str]:
        return [each["id"] for each in await shop.get(f"{kind}?balance={balance}")]

    assert await listed("owed") == [debtor["id"]]
    assert await listed("credit") == [creditor["id"]]
    answer = await shop.firm.api.get(f"/v1/{kind}?balance=much")
    assert answer.status_code == 422
    owed = await shop.get(f"transactions?balance=owed&customer={debtor['id']}")
    assert [each["id"] for each in owed] == [debtor["order"]["transaction"]]
    assert await shop.get(f"transactions?balance=owed&customer={creditor['id']}") == []
    credits_of = await shop.get("transactions?balance=credit")
    assert [each["id"] for each in credits_of] == [creditor["order"]["transaction"]]


@pytest.mark.parametrize("kind", ["contacts", "vendors"])
async def test_customers_have_a_payment_status_and_are_listed_by_it(shop: Shop, kind: str) -> None:
    unpaid, paid, overpaid = [await owing(shop, kind) for _ in range(3)]
    none = await shop.post(kind, name="Bob")
    await record(shop, paid["order"])
    await record(shop, overpaid["order"], amount=1000)
    expected = {"none": none, "unpaid": unpaid, "paid": paid, "overpaid": overpaid}
    for status, customer in expected.items():
        assert (await shop.get(f"{kind}/{customer['id']}"))["payment_status"] == status
        listed = await shop.get(f"{kind}?payment_status={status}")
        assert [each["id"] for each in listed if each["name"] in {"Ada", "Bob"}] == [customer["id"]]
    both = await shop.get(f"{kind}?payment_status=unpaid&payment_status=overpaid")
    assert {each["id"] for each in both} == {unpaid["id"], overpaid["id"]}


async def test_another_company_sees_no_balance(shop: Shop, rival: Firm) -> None:
    await owing(shop)
    theirs = await Shop(rival).post("contacts", name="Ada")
    assert theirs["balances"] == []
    assert await Shop(rival).get("contacts?balance=owed") == []
