"""Database reads of quotes."""

from typing import Final
from uuid import UUID

from pannier.db import Db, Page, Table, columns
from pannier.orders.models import Order
from pannier.orders.quotes.models import ServiceQuote
from pannier.orders.quotes.schemas import QuoteRowFilters
from pannier.rates import queries as rates

QUOTES: Final = Table("service_quotes", ServiceQuote, prefix="quote")


async def list_open_quotes(db: Db, company: UUID, order: UUID) -> list[ServiceQuote]:
    """List the open quotes of an order by currency, cheapest first. Some may have expired."""
    return await db.fetch_all(
        ServiceQuote,
        f"""select {columns(ServiceQuote)} from service_quotes
            where company = :company and order_uuid = :order and state = 'open'
            order by currency, amount, service_name, service_rate""",
        company=company,
        order=order,
    )


async def find_accepted_quote(db: Db, company: UUID, order: UUID) -> ServiceQuote | None:
    return await db.find(
        ServiceQuote,
        f"""select {columns(ServiceQuote)} from service_quotes
            where company = :company and order_uuid = :order and state = 'accepted'""",
        company=company,
        order=order,
    )


async def find_firm_quote(db: Db, estimate: ServiceQuote, order: UUID) -> ServiceQuote | None:
    """Find the quote of an order that has replaced an estimate at the same price."""
    if estimate.firm or estimate.state != "replaced" or estimate.expired_at <= db.now:
        return None
    return await db.find(
        ServiceQuote,
        f"""select {columns(ServiceQuote)} from service_quotes
            where company = :company and order_uuid = :order and state in ('open', 'accepted')
              and service_rate = :rate and amount = :amount and currency = :currency
            order by state limit 1""",
        company=estimate.company,
        order=order,
        rate=estimate.service_rate,
        amount=estimate.amount,
        currency=estimate.currency,
    )


async def find_owed_transaction(db: Db, order: Order) -> str | None:
    """Find the transaction that is owed for an order: that of its last accepted quote."""
    if order.service_quote is None:
        return None
    return (await QUOTES.get(db, order.company, order.service_quote)).transaction


async def has_public_rate(db: Db, company: UUID, quote: UUID | None) -> bool:
    """Return whether the rate of a quote was public when the quote was made."""
    row = None if quote is None else await QUOTES.find(db, company, quote)
    if row is None:
        return False
    return (await rates.get_version(db, company, row.service_rate, row.service_rate_version)).public


async def lock_signed_quote(db: Db, company: UUID, signature: bytes) -> ServiceQuote | None:
    """Find and lock the stored row of a signed quote."""
    return await db.find(
        ServiceQuote,
        f"""select {columns(ServiceQuote)} from service_quotes
            where company = :company and signature = :signature for no key update""",
        company=company,
        signature=signature,
    )


async def mark_open_quotes_replaced(db: Db, company: UUID, order: UUID) -> None:
    """Mark the open quotes of an order as replaced. They are kept for the record."""
    await db.execute(
        """update service_quotes set state = 'replaced', updated_at = :now, version = version + 1
           where company = :company and order_uuid = :order and state = 'open'""",
        company=company,
        order=order,
        now=db.now,
    )


async def list_quotes(
    db: Db, company: UUID, filters: QuoteRowFilters, order: UUID | None = None
) -> Page[ServiceQuote]:
    """List quotes, of one order or of all, newest first."""
    where = QUOTES.where(company).add_equal(order_uuid=order, state=filters.state)
    return await QUOTES.load_page(db, where, filters)


async def lock_signature(db: Db, company: UUID, signature: bytes) -> None:
    """Serialise requests that accept the same signed quote."""
    key = f"quote:{company}:{signature.hex()}"
    await db.execute("select pg_advisory_xact_lock(hashtextextended(:key, 0))", key=key)
