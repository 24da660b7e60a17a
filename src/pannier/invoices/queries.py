"""Database reads of invoices."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.customers.recognition import get_partner
from pannier.db import Db, Page, Sort, Table, Where, columns
from pannier.db.row import RowReference
from pannier.errors import NotFound
from pannier.invoices.document import InvoiceDocument
from pannier.invoices.models import FrozenDocument, Invoice, InvoiceLine
from pannier.invoices.revenue import TaxedSum
from pannier.invoices.schemas import InvoiceFilters, InvoiceOut, InvoiceStatus, find_status
from pannier.kit import ids
from pannier.payments.transactions.models import CustomerType
from pannier.payments.transactions.queries import load_order_names
from pannier.web.serialization import to_schema

# The audit log outlives the buyers of erased customers, so it never names them.
INVOICES: Final = Table(
    "invoices",
    Invoice,
    sort=Sort(("created_at", "updated_at")),
    secret=frozenset({"buyer"}),
)


class _Name(RowReference):
    """A customer's identifiers and name."""

    name: str


_CUSTOMERS: Final[Mapping[CustomerType, Table[_Name]]] = {
    "contact": Table("contacts", _Name),
    "vendor": Table("vendors", _Name),
}
_TRANSACTIONS: Final = Table("transactions", RowReference)
# By status. `:today` is the day of the company.
_CONDITIONS: Final[dict[InvoiceStatus, str]] = {
    "draft": "state = 'draft'",
    "issued": """(state = 'issued' and (kind = 'credit_note' or (open_amount > 0
        and (due_date is null or due_date >= :today))))""",
    "overdue": "(state = 'issued' and open_amount > 0 and due_date < :today)",
    "paid": """(state = 'issued' and kind = 'invoice' and open_amount = 0
        and (credited_amount = 0 or credited_amount < amount))""",
    "credited": """(state = 'issued' and kind = 'invoice' and open_amount = 0
        and credited_amount > 0 and credited_amount >= amount)""",
}


RateOfTransaction = tuple[UUID, Decimal | None]


class InvoicedCustomer(NamedTuple):
    """Who owes an invoice."""

    uuid: UUID
    type: CustomerType


async def find_customer(db: Db, company: UUID, identifier: str) -> InvoicedCustomer:
    """Find a contact or vendor, also a deleted one, or the contact of a customer account.

    The debts of deleted ones remain.
    """
    for kind, table in _CUSTOMERS.items():
        if (row := await table.find(db, company, identifier)) is not None:
            return InvoicedCustomer(row.uuid, kind)
    partner = await get_partner(db, company, "customer", identifier)
    return InvoicedCustomer(partner.uuid, "contact")


async def lock_customer(db: Db, company: UUID, customer: UUID) -> None:
    """Lock the documents of a customer until the transaction ends, also those to come."""
    await db.execute(
        "select pg_advisory_xact_lock(hashtextextended(:name, 0))",
        name=f"invoices:{company}:{customer}",
    )


async def list_invoices(db: Db, company: UUID, filters: InvoiceFilters) -> Page[Invoice]:
    """List invoices, newest first."""
    where = await select_invoices(db, company, filters)
    return await INVOICES.load_page(db, where, filters)


async def select_invoices(db: Db, company: UUID, filters: InvoiceFilters) -> Where:
    """Build the condition for the invoices that match the filters."""
    where = INVOICES.where(company).add_filters(filters, "kind", "number")
    where.add_equal(currency=filters.currency and filters.currency.upper())
    if filters.customer is not None:
        customer = await find_customer(db, company, filters.customer)
        where.add_equal(customer=customer.uuid)
    if filters.status is not None:
        conditions = " or ".join(_CONDITIONS[status] for status in dict.fromkeys(filters.status))
        values = {"today": await get_today(db, company)} if ":today" in conditions else {}
        where.add(f"({conditions or 'false'})", **values)
    where.add_time_range("created_at", filters.since, filters.until)
    _add_days(where, "issue_date", filters.issued_since, filters.issued_until)
    _add_days(where, "due_date", filters.due_since, filters.due_until)
    return where


def _add_days(where: Where, column: str, first: date | None, last: date | None) -> None:
    if first is not None:
        where.add(f"{column} >= :{column}_first", **{f"{column}_first": first})
    if last is not None:
        where.add(f"{column} <= :{column}_last", **{f"{column}_last": last})


async def get_today(db: Db, company: UUID) -> date:
    """Return the day in the company's time zone."""
    zone = (await company_settings.load(db, company)).zone
    return db.now.astimezone(zone).date()


async def get_linked_invoice(db: Db, public_id: str) -> Invoice:
    """Return the invoice of a verified link; no company is needed, because the link is signed."""
    return await db.get(
        Invoice,
        f"select {columns(Invoice)} from invoices where public_id = :public_id",
        public_id=public_id,
    )


async def list_lines(db: Db, company: UUID, invoice: UUID) -> list[InvoiceLine]:
    """List the lines of an invoice."""
    return await db.fetch_all(
        InvoiceLine,
        f"""select {columns(InvoiceLine)} from invoice_lines
            where company = :company and invoice = :invoice order by position""",
        company=company,
        invoice=invoice,
    )


async def get_document(db: Db, company: UUID, invoice: UUID) -> InvoiceDocument:
    """Return the contents of an issued document, or raise NotFound."""
    where = Where(company).add_equal(invoice=invoice)
    frozen = await db.find(
        FrozenDocument,
        f"select {columns(FrozenDocument)} from invoice_documents {where}",
        **where.values,
    )
    if frozen is None:
        raise NotFound
    return frozen.document


async def load_invoices_out(db: Db, company: UUID, rows: Sequence[Invoice]) -> list[InvoiceOut]:
    """Build the output of invoices, with the names of their customers."""
    customers: dict[UUID, _Name] = {}
    for kind, table in _CUSTOMERS.items():
        uuids = {row.customer for row in rows if row.customer_type == kind}
        customers |= await table.load_many(db, company, list(uuids))
    originals = await INVOICES.load_many(
        db, company, [row.refers_to for row in rows if row.refers_to is not None]
    )
    today = await get_today(db, company)
    return [
        to_schema(
            row,
            InvoiceOut,
            status=find_status(row, today),
            customer=customers[row.customer].public_id,
            customer_name=row.buyer.name if row.buyer else customers[row.customer].name,
            net_amount=row.amount - row.tax_amount,
            from_=row.period_from,
            to=row.period_to,
            refers_to=None if row.refers_to is None else originals[row.refers_to].public_id,
        )
        for row in rows
    ]


async def load_line_names(db: Db, company: UUID, lines: Sequence[InvoiceLine]) -> dict[UUID, str]:
    """Load the public ids of the orders, transactions and charges of lines."""
    orders = {line.order_uuid for line in lines if line.order_uuid is not None}
    transactions = await _TRANSACTIONS.load_many(
        db, company, list({line.transaction for line in lines})
    )
    # Charges have no table of their own here: they are only written with their transaction.
    charges = await db.fetch_tuples(
        "select uuid, public_id from charges where company = :company and uuid = any(:charges)",
        company=company,
        charges=[line.charge for line in lines if line.charge is not None],
    )
    names = {uuid: row.public_id for uuid, row in transactions.items()} | dict(charges)
    return names | await load_order_names(db, company, list(orders))


async def load_order_uuids(db: Db, company: UUID, identifiers: Sequence[str]) -> dict[str, UUID]:
    """Load the UUIDs of orders by their identifiers, public ids or UUIDs."""
    rows = await db.fetch_tuples(
        """select uuid, public_id from orders
           where company = :company and deleted_at is null
             and (public_id = any(:identifiers) or uuid = any(:uuids))""",
        company=company,
        identifiers=list(identifiers),
        uuids=[uuid for name in identifiers if (uuid := ids.parse_uuid(name)) is not None],
    )
    by_name = {public_id: uuid for uuid, public_id in rows}
    by_uuid = {uuid: uuid for uuid, _ in rows}
    found = {name: by_name.get(name) or by_uuid.get(ids.parse_uuid(name)) for name in identifiers}
    return {name: uuid for name, uuid in found.items() if uuid is not None}


async def load_tracking_numbers(
    db: Db, company: UUID, lines: Sequence[InvoiceLine]
) -> dict[UUID | None, str]:
    """Load the tracking numbers of the orders of lines."""
    rows = await db.fetch_tuples(
        """select subject, number from tracking_numbers
           where company = :company and subject = any(:orders) and subject_type = 'order'""",
        company=company,
        orders=list({line.order_uuid for line in lines if line.order_uuid is not None}),
    )
    return dict(rows)


async def find_only_invoice(
    db: Db, company: UUID, customer: UUID, transactions: Collection[UUID]
) -> UUID | None:
    """Find the issued invoice of transactions, if there is exactly one."""
    rows = await db.fetch_tuples(
        """select distinct i.uuid from invoice_shares s join invoices i on i.uuid = s.invoice
           where s.company = :company and s.customer = :customer
             and s.transaction = any(:transactions) and i.kind = 'invoice' limit 2""",
        company=company,
        customer=customer,
        transactions=list(transactions),
    )
    return rows[0][0] if len(rows) == 1 else None


async def load_invoices_of_lines(
    db: Db, company: UUID, lines: Collection[UUID]
) -> dict[UUID, UUID]:
    """Load the invoices of lines, by line."""
    rows = await db.fetch_tuples(
        "select uuid, invoice from invoice_lines where company = :company and uuid = any(:lines)",
        company=company,
        lines=list(lines),
    )
    return dict(rows)


class _CreditedSum(msgspec.Struct):
    line: UUID
    amount: int
    tax: int


async def load_credited_sums(
    db: Db, company: UUID, lines: Collection[UUID]
) -> dict[UUID, TaxedSum]:
    """Load the sums of the credit notes of lines, which are below zero."""
    rows = await db.fetch_all(
        _CreditedSum,
        """select credits as line, sum(amount)::bigint as amount, sum(tax_amount)::bigint as tax
           from invoice_lines where company = :company and credits = any(:lines)
           group by credits""",
        company=company,
        lines=list(lines),
    )
    return {row.line: TaxedSum(row.amount, row.tax) for row in rows}


async def load_corrections(db: Db, company: UUID, invoice: UUID) -> dict[RateOfTransaction, int]:
    """Load what credit notes of an invoice have taken back without naming its lines."""
    rows = await db.fetch_tuples(
        """select l.transaction, l.tax_rate, -sum(l.amount)::bigint
           from invoices i join invoice_lines l on l.invoice = i.uuid
           where i.company = :company and i.refers_to = :invoice and l.credits is null
           group by l.transaction, l.tax_rate""",
        company=company,
        invoice=invoice,
    )
    return {(transaction, rate): amount for transaction, rate, amount in rows}


async def load_open_amounts(db: Db, company: UUID, invoice: UUID) -> dict[UUID, int]:
    """Load what is still to be paid of an invoice, by transaction."""
    rows = await db.fetch_tuples(
        """select transaction, open_amount from invoice_shares
           where company = :company and invoice = :invoice""",
        company=company,
        invoice=invoice,
    )
    return dict(rows)


async def lock_orders(db: Db, company: UUID, transactions: Collection[UUID]) -> None:
    """Lock the orders of transactions, sorted to avoid deadlocks."""
    await db.execute(
        """select from orders where company = :company and uuid in (
               select order_uuid from transactions
               where company = :company and uuid = any(:transactions))
           order by uuid for no key update""",
        company=company,
        transactions=list(transactions),
    )
