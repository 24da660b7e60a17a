"""Implementations of the hooks through which lower packages look up orders and quotes."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db, Table, columns
from pannier.db.row import RowReference
from pannier.events import feed
from pannier.fleet.issues import queries as issues
from pannier.fleet.models import OrderName
from pannier.orders.internal_ids import OrderTable
from pannier.payments.transactions import queries as transactions
from pannier.proofs import register
from pannier.rates import queries as rates
from pannier.rates.queries import OrderTerms

# Deleted orders are included: other records still refer to them.
_ORDERS: Final = OrderTable("orders", RowReference)
_ORDER_DRIVERS: Final = OrderTable("orders", OrderName)
_QUOTES: Final = Table("service_quotes", RowReference, noun="quote")


@issues.find_order.register
async def find_order_driver(db: Db, company: UUID, identifier: str) -> OrderName:
    """Find the order in a request field, with its driver; reject the field if there is none."""
    return await _ORDER_DRIVERS.resolve_reference(db, company, "order", identifier)


@feed.find_order.register
@transactions.find_order.register
async def find_order(db: Db, company: UUID, identifier: str) -> RowReference:
    """Find the order in a request field; reject the field if there is none."""
    return await _ORDERS.resolve_reference(db, company, "order", identifier)


@transactions.find_quote.register
async def find_quote(db: Db, company: UUID, identifier: str) -> RowReference:
    """Find the quote in a request field; reject the field if there is none."""
    return await _QUOTES.resolve_reference(db, company, "service_quote", identifier)


@register.load_order_names.register
@transactions.load_order_names.register
async def load_order_names(db: Db, company: UUID, uuids: Sequence[UUID]) -> dict[UUID, str]:
    """Load the public ids of orders."""
    orders_by_uuid = await _ORDERS.load_many(db, company, list(uuids))
    return {uuid: row.public_id for uuid, row in orders_by_uuid.items()}


@transactions.lock_order.register
async def lock_order(db: Db, company: UUID, order: UUID) -> None:
    """Lock an order until the transaction ends, even a deleted one."""
    await db.execute(
        "select from orders where company = :company and uuid = :order for no key update",
        company=company,
        order=order,
    )


@rates.load_order_terms.register
async def load_order_terms(db: Db, company: UUID, order: UUID) -> OrderTerms | None:
    """Load the fields of an order that rates depend on."""
    return await db.find(
        OrderTerms,
        f"""select {columns(OrderTerms)} from orders
            where company = :company and uuid = :order and deleted_at is null""",
        company=company,
        order=order,
    )
