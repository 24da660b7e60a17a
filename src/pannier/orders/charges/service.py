"""Charge an order after the fact, and show its account."""

from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db
from pannier.db.row import RowReference
from pannier.errors import FieldError, Forbidden, Invalid, parse_field
from pannier.kit import tax
from pannier.orders import aggregate
from pannier.orders.charges.schemas import (
    ChargeIn,
    ChargeOut,
    OrderChargesOut,
    sort_key,
)
from pannier.orders.models import Order
from pannier.orders.quotes import queries as quotes
from pannier.orders.quotes import standing
from pannier.orders.views import OrderAggregate
from pannier.payments.gateway import Gateway
from pannier.payments.transactions import charges
from pannier.payments.transactions import queries as transactions
from pannier.payments.transactions import service as billing
from pannier.payments.transactions.models import ChargeLine
from pannier.web.serialization import to_schema

NO_CURRENCY = "The order has no price, and the company has no currency. Set the company's currency."


async def add_charge(
    db: Db, order: OrderAggregate, data: ChargeIn, gateway: Gateway, *, can_refund: bool
) -> None:
    """Charge or credit a locked order.

    A credit beyond what is still owed is refunded, so the caller must be allowed to refund.
    """
    row = order.row
    if data.amount == 0:
        raise Invalid(fields=[FieldError("amount", "must not be zero.")])
    billing.check_entry_count(await transactions.count_order_charges(db, row.company, row.uuid))
    settings = await company_settings.load(db, row.company)
    currency = row.currency or await _choose_currency(db, row, settings.currency)
    if currency is None:
        raise Invalid(fields=[FieldError("amount", NO_CURRENCY)])
    line = _to_line(data, settings)
    if not can_refund and -line.amount > max(0, row.balance):
        raise Forbidden("This credit exceeds what is still owed. Your role cannot refund the rest.")
    await charges.charge_order(
        db,
        row.company,
        RowReference(row.uuid, row.public_id),
        line,
        currency=currency,
        customer=order.related.partner(row.customer, row.customer_type),
        gateway=gateway,
    )
    order_transactions = await transactions.list_order_transactions(db, row.company, row.uuid)
    columns = standing.to_payment_columns(row, order_transactions)
    if row.transaction is None:
        columns["transaction"] = order_transactions[0].public_id
    await aggregate.finish_change(db, order, **columns)


async def _choose_currency(db: Db, order: Order, home_currency: str | None) -> str | None:
    """Choose the currency of an order without a price: one of its quotes, if it has any."""
    open_quotes = await quotes.list_open_quotes(db, order.company, order.uuid)
    currencies = [quote.currency for quote in open_quotes]
    return home_currency if home_currency in currencies or not currencies else currencies[0]


def _to_line(data: ChargeIn, settings: CompanySettings) -> ChargeLine:
    rate = settings.tax.rate
    if data.tax_rate is not None:
        rate = parse_field("tax_rate", tax.parse_rate, data.tax_rate)
    (taxed,) = tax.split_tax([data.amount], rate, inclusive=settings.tax.inclusive)
    return ChargeLine(
        kind=data.kind,
        code=data.kind.upper(),
        details=data.description,
        amount=taxed.gross,
        tax_rate=rate,
        tax_amount=taxed.tax,
        reason=data.reason,
    )


async def load_account(db: Db, order: Order) -> OrderChargesOut:
    """Load the account of an order."""
    company: UUID = order.company
    rows = [
        row
        for row in await transactions.list_order_transactions(db, company, order.uuid)
        if row.currency == order.currency
    ]
    owed = {row.uuid: row.public_id for row in rows if row.is_owed}
    lines = sorted(await transactions.list_charges(db, company, list(owed)), key=sort_key)
    return to_schema(
        order,
        OrderChargesOut,
        lines=[ChargeOut.from_row(line, owed[line.transaction]) for line in lines],
        amount=sum(line.amount for line in lines),
        tax_amount=sum(line.tax_amount for line in lines),
        amount_paid=sum(row.amount_paid for row in rows if row.is_owed),
        amount_refunded=sum(row.amount_refunded for row in rows if row.is_owed),
    )
