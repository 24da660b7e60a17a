"""The books as a table, for programs that know nothing of us."""

import csv
import io
from decimal import Decimal
from typing import Any

import pytest

from pannier.payments.transactions import export
from pannier.payments.transactions.models import ChargeLine
from payments.purse import Purse
from payments.till import Till
from probe import refused
from stage import Firm, House

EXPORT = "/int/v1/transactions/export"


@pytest.fixture
def purse(till: Till) -> Purse:
    return Purse(till.firm)


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "ROWS_PER_PAGE", 3)


async def exported(firm: Firm, **asked: Any) -> list[dict[str, str]]:
    answer = await firm.admin.get(EXPORT, params=asked)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/csv")
    name = f'attachment; filename="{asked.get("content", "transactions")}-20'
    assert answer.headers["content-disposition"].startswith(name)
    return list(csv.DictReader(io.StringIO(answer.text)))


async def test_every_transaction_is_there_once_the_oldest_first(purse: Purse, house: House) -> None:
    order = await purse.order()
    first = await purse.offered(order=order)
    await purse.pay(first)
    await purse.refund(first["id"], amount=200)
    await purse.work()
    names = [first["id"]]
    for _ in range(7):
        house.clock.advance(seconds=1)
        names.append((await purse.owe()).public_id)
    rows = await exported(purse.firm)
    assert [row["id"] for row in rows] == names
    assert rows[0] | {"created_at": "", "paid_at": ""} == {
        "id": first["id"], "created_at": "", "status": "partially_refunded",
        "order": order.public_id, "customer": "", "customer_type": "", "service_quote": "",
        "currency": "SGD", "amount": "12.00", "amount_paid": "12.00", "amount_refunded": "2.00",
        "amount_disputed": "0.00", "balance": "0.00", "gateway": "fake", "paid_at": "",
        "voided_at": "",
    }  # fmt: skip


async def test_amounts_have_the_digits_of_their_currency(purse: Purse) -> None:
    line = (ChargeLine(code="BASE_FEE", details="Base fee", amount=12345),)
    for currency in ("JPY", "KWD", "SGD"):
        await purse.owe(lines=line, currency=currency)
    rows = await exported(purse.firm)
    assert {row["currency"]: row["amount"] for row in rows} == {
        "JPY": "12345", "KWD": "12.345", "SGD": "123.45",
    }  # fmt: skip


async def test_every_charge_is_there_once_with_its_tax(purse: Purse, house: House) -> None:
    order = await purse.order()
    first = await purse.owe(order=order)
    house.clock.advance(seconds=1)
    evil = ChargeLine(
        code="OTHER", details="=cmd|' /C calc'!A0", amount=-109, kind="goodwill",
        tax_rate=Decimal("9.5"), tax_amount=-9,
    )  # fmt: skip
    plain = ChargeLine(code="BASE_FEE", details="Base fee, by night", amount=500)
    second = await purse.owe(lines=(plain, evil))
    rows = await exported(purse.firm, content="charges")
    assert [row["transaction"] for row in rows] == [first.public_id] * 3 + [second.public_id] * 2
    assert {row["order"] for row in rows[:3]} == {order.public_id}
    assert rows[-1] | {"id": "", "created_at": ""} == {
        "id": "", "created_at": "", "kind": "goodwill", "code": "OTHER",
        "description": "'=cmd|' /C calc'!A0", "order": "", "transaction": second.public_id,
        "transaction_status": "unpaid", "currency": "SGD", "amount": "-1.09", "tax_rate": "9.5",
        "tax_amount": "-0.09",
    }  # fmt: skip
    assert rows[-2]["description"] == "Base fee, by night"


async def test_the_filters_of_the_list_choose(purse: Purse, house: House) -> None:
    paid, owed = await purse.offered(), await purse.offered()
    await purse.pay(paid)
    house.clock.advance(hours=1)
    late = await purse.owe()

    async def found(**asked: Any) -> set[str]:
        rows = {row["id"] for row in await exported(purse.firm, **asked)}
        listed = (await purse.firm.admin.get("/int/v1/transactions", params=asked)).json()["data"]
        assert rows == {row["id"] for row in listed}
        return rows

    assert await found(status="paid") == {paid["id"]}
    assert await found(since="2026-01-15T12:30:00Z") == {late.public_id}
    assert await found(until="2026-01-15T12:30:00Z") == {paid["id"], owed["id"]}


async def test_what_is_not_there_is_refused_before_anything_is_sent(purse: Purse) -> None:
    refused(await purse.firm.admin.get(EXPORT, params={"customer": "nobody"}), 404, "not_found")
    answer = await purse.firm.admin.get(EXPORT, params={"format": "pdf"})
    refused(answer, 422, "unknown_value")


async def test_everybody_at_the_console_may_read_the_books_of_their_company(
    purse: Purse, rival: Firm
) -> None:
    await purse.owe()
    viewer = await purse.firm.operator("viewer")
    assert len((await viewer.get(EXPORT)).text.splitlines()) == 2
    assert await exported(rival) == []
    refused(await purse.firm.api.get(EXPORT), 401, "unauthenticated")
