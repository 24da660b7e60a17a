"""Few documents among many are found by an index."""

from typing import Final

import pytest

from db.test_plans import FEW, MANY, TRANSACTIONS, found, passed_over, taken
from invoices.desk import Desk

pytestmark = pytest.mark.slow

# Paid invoices of others, each with a line, and all of them long ago.
PAID: Final = """
    with made as (
        insert into invoices (uuid, public_id, company, kind, state, number, customer,
            customer_type, currency, amount, tax_amount, issue_date, issued_at, due_date,
            actor_kind, actor_id, actor_name, created_at, updated_at, version)
        select gen_random_uuid(), 'invoice_' || number, :company, 'invoice', 'draft', null,
            gen_random_uuid(), 'contact', 'SGD', 100, 0, null, null, date '2020-01-01',
            'key', '', '', timestamptz '2020-01-01', :now, 1
        from generate_series(1, {many}) number
        returning uuid, customer, company)
    insert into invoice_lines (uuid, public_id, company, invoice, position, customer, transaction,
        kind, description, day, tax_amount, amount, created_at)
    select gen_random_uuid(), 'line_' || i.uuid, i.company, i.uuid, 1, i.customer, t.uuid, 'other',
        '', date '2020-01-01', 0, 100, :now
    from made i, (select uuid from transactions limit 1) t"""
ISSUE: Final = """
    update invoices set state = 'issued', number = public_id, issue_date = date '2020-01-01',
        issued_at = timestamptz '2020-01-01'
    where currency = 'SGD'"""


async def test_few_documents_among_many_are_found_by_an_index(desk: Desk) -> None:
    house, firm = desk.firm.house, desk.firm
    ada = await desk.customer()
    order = await desk.charged(ada)
    issued = await desk.issued(ada)
    bob = await desk.customer("Bob")
    await desk.charged(bob)
    draft = await desk.draft(bob)
    eve = await desk.customer("Eve")
    paid = await desk.charged(eve)
    credited = await desk.issued(eve)
    await desk.post(f"invoices/{credited['id']}/credit-note", 201, reason="Wrong.")
    async with house.database.transaction() as db:
        await db.execute(TRANSACTIONS.format(many=MANY), company=firm.uuid, now=db.now)
        await db.execute(PAID.format(many=MANY), company=firm.uuid, now=db.now)
        await db.execute(ISSUE)
    await house.value("analyze")
    for path, count in (
        ("/v1/invoices?status=draft", 1),
        ("/v1/invoices?status=issued&kind=invoice", 1),
        ("/v1/invoices?status=issued", 2),
        ("/v1/invoices?status=draft&status=overdue", 1),
        ("/v1/invoices?status=credited", 1),
        ("/v1/invoices?status=overdue", 0),
        ("/v1/invoices?kind=credit_note", 1),
        (f"/v1/invoices?customer={ada}", 1),
        ("/v1/invoices?currency=EUR", 4),
        (f"/v1/invoices?number={issued['number']}", 1),
        ("/v1/invoices?issued_since=2026-01-01", 3),
        ("/v1/invoices?due_since=2026-01-01", 2),
        ("/v1/invoices?since=2026-01-01T00:00:00Z", 4),
        ("/v1/invoices/ageing", 1),
        (f"/v1/invoices/ageing?customer={ada}", 1),
    ):

        async def ask(path: str = path, count: int = count) -> None:
            assert await found(firm, path) == count, path

        for sql, plan in await taken(house, ask, "select", "with"):
            assert passed_over(plan) <= FEW, f"{path}: {sql}"

    async def write() -> None:
        await desk.post(f"invoices/{draft['id']}/refresh")
        await desk.issue(draft)
        await desk.pay(order)
        await desk.pay(paid)

    for sql, plan in await taken(house, write, "select", "with documented"):
        assert passed_over(plan) <= FEW, sql
