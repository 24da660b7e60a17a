"""Choice of a quote, and opening of its transaction.

Nothing here saves an order: the caller, who has locked it, saves the returned columns.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.customers.recognition import get_partner
from pannier.db import Db
from pannier.db.row import RowReference
from pannier.errors import Conflict
from pannier.orders.models import Order
from pannier.orders.quotes import adjusting, pricing, queries, standing
from pannier.orders.quotes.models import ServiceQuote
from pannier.orders.quotes.queries import QUOTES
from pannier.orders.views import OrderAggregate
from pannier.partners.models import Contact, Vendor
from pannier.payments.gateway import Gateway, NoGateway
from pannier.payments.transactions import queries as transaction_queries
from pannier.payments.transactions import service as transactions
from pannier.payments.transactions.models import ChargeLine, Transaction
from pannier.rates import queries as rates
from pannier.rates.quotes import signing
from pannier.rates.taxation import list_taxed_lines


class CurrencyDiffers(Conflict):
    """An order is charged in one currency."""

    code = "order_currency_differs"
    title = "The order is charged in another currency."
    remedy = "Accept a quote in the currency of its charges, or void them first."


class AcceptanceTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The order, payer and gateway with which a quote is accepted."""

    gateway: Gateway = NoGateway()
    order: str | None = None
    customer: str | None = None
    return_url: str | None = None
    # The store that must have issued a signed quote.
    store: UUID | None = None
    # Whether the caller requests the checkout page, rather than the worker.
    fetched: bool = True


DEFAULT_TERMS: Final = AcceptanceTerms()


def pricing_time(db: Db, order: Order) -> datetime:
    """Return the time that decides which rates apply to an order."""
    return order.scheduled_at or db.now


def compute_order_fingerprint(db: Db, order: OrderAggregate) -> bytes | None:
    """Compute the fingerprint of an order as it is now; None if it cannot be priced."""
    shipment = pricing.to_shipment(db, order)
    return None if shipment is None else pricing.compute_fingerprint(shipment)


async def find_preferred_quote(
    db: Db, order: OrderAggregate, quotes: Sequence[ServiceQuote]
) -> ServiceQuote | None:
    """Find the quote to accept at dispatch: it is valid, fits the order, and has an active rate.

    The customer's default service comes first, then the rates that name the customer or its price
    group, and among equals the cheapest. Amounts in different currencies do not compare, so the
    company's own currency comes first.
    """
    row, fingerprint = order.row, compute_order_fingerprint(db, order)
    currency = await _find_debt_currency(db, row)
    valid_quotes = [
        quote
        for quote in quotes
        if quote.expired_at > db.now
        and quote.shipment == fingerprint
        and quote.customer in {None, row.customer}
        and currency in {None, quote.currency}
    ]
    if not valid_quotes:
        return None
    versions = [(quote.service_rate, quote.service_rate_version) for quote in valid_quotes]
    offers = await rates.load_offers(db, row.company, versions, pricing_time(db, row))
    home_currency = (await company_settings.load(db, row.company)).currency
    customer = order.related.partner(row.customer, row.customer_type)
    default_service = None if customer is None else customer.default_service

    def rank(quote: ServiceQuote) -> tuple[bool, bool, bool, str, int]:
        return (
            quote.service_rate != default_service,
            not offers[quote.service_rate].is_bound,
            quote.currency != home_currency,
            quote.currency,
            quote.amount,
        )

    return min(
        (quote for quote in valid_quotes if quote.service_rate in offers), key=rank, default=None
    )


async def attach_price(db: Db, order: OrderAggregate) -> dict[str, Any]:
    """Accept the preferred quote of an order that was dispatched without a price.

    Returns the changed columns of the order. A voided or refunded price is replaced only after
    the order is repriced.
    """
    row = order.row
    has_transaction = row.transaction is not None
    if has_transaction and await queries.find_accepted_quote(db, row.company, row.uuid) is not None:
        return {}
    open_quotes = await queries.list_open_quotes(db, row.company, row.uuid)
    quote = await find_preferred_quote(db, order, open_quotes)
    if quote is None:
        return {}
    transaction = await open_transaction(db, quote, DEFAULT_TERMS, order)
    return await link_quote(db, order, quote, transaction)


async def open_transaction(
    db: Db, quote: ServiceQuote, terms: AcceptanceTerms, order: OrderAggregate | None = None
) -> Transaction:
    """Open the transaction of a quote with its lines."""
    return await transactions.open_transaction(
        db,
        quote.company,
        lines=[
            ChargeLine(
                code=line.code,
                details=line.details,
                amount=line.amount,
                tax_rate=line.tax_rate,
                tax_amount=line.tax_amount,
            )
            for line in list_taxed_lines(quote.items, quote.tax_rate, quote.tax_amount)
        ],
        currency=quote.currency,
        gateway=terms.gateway,
        order=None if order is None else RowReference(order.row.uuid, order.row.public_id),
        quote=RowReference(quote.uuid, quote.public_id),
        customer=await _find_payer(db, order, quote.company, terms.customer),
        return_url=terms.return_url,
        opens_now=terms.fetched,
    )


async def link_quote(
    db: Db, order: OrderAggregate, quote: ServiceQuote, transaction: Transaction
) -> dict[str, Any]:
    """Link a quote and its transaction to an order; return the order's changed columns."""
    row, shipment = order.row, pricing.to_shipment(db, order)
    if await _find_debt_currency(db, row) not in {None, quote.currency}:
        raise CurrencyDiffers
    await QUOTES.change(
        db,
        quote,
        state="accepted",
        accepted_at=quote.accepted_at or db.now,
        transaction=transaction.public_id,
        order_uuid=row.uuid,
        order_id=row.public_id,
    )
    order_transactions = [transaction]
    if row.transaction is not None:
        await adjusting.replace_earlier_price(db, order, quote, transaction)
        order_transactions = await transaction_queries.list_order_transactions(
            db, row.company, row.uuid
        )
    return {
        "service_quote": quote.public_id,
        # Keeps the first transaction. The accepted quote names the one that is owed now.
        "transaction": row.transaction or transaction.public_id,
        "priced_shipment": shipment and signing.fingerprint_shipment(shipment),
        "priced_distance": quote.distance,
        **standing.to_payment_columns(row, order_transactions),
    }


async def _find_debt_currency(db: Db, order: Order) -> str | None:
    """Return the currency in which an order already owes something."""
    if order.transaction is None:
        return None
    transactions = await transaction_queries.list_order_transactions(db, order.company, order.uuid)
    return next((row.currency for row in transactions if row.is_owed), None)


async def _find_payer(
    db: Db, order: OrderAggregate | None, company: UUID, customer: str | None
) -> Contact | Vendor | None:
    """Find the payer of the request, or the order's customer."""
    if customer is not None:
        return await get_partner(db, company, "customer", customer)
    if order is None:
        return None
    return order.related.partner(order.row.customer, order.row.customer_type)
