"""Changes of an order after its quote was accepted: the price and the payer follow.

Nothing here saves an order: the caller, who has locked it, saves the returned columns.
"""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.db.row import RowReference
from pannier.errors import Conflict
from pannier.kit.money import divide_half_up
from pannier.orders.models import Order
from pannier.orders.quotes import pricing, queries, standing
from pannier.orders.quotes.models import ServiceQuote
from pannier.orders.views import OrderAggregate
from pannier.payments.gateway import NoGateway
from pannier.payments.transactions import charges
from pannier.payments.transactions import queries as transaction_queries
from pannier.payments.transactions.lines import split_line
from pannier.payments.transactions.models import Charge, ChargeLine, Transaction
from pannier.rates import queries as rates
from pannier.rates import taxation
from pannier.rates.quotes import quoting, signing
from pannier.rates.shipment import Shipment

# Lines that make up the price of the shipment. Later charges are not part of it.
PRICE_KINDS: Final = ("quote", "adjustment")


class PriceFixed(Conflict):
    """This company refuses changes that move an accepted price."""

    code = "price_fixed"
    title = "The order's price was accepted."
    remedy = "Cancel the order and create another one, or change the setting `price_changes`."


class AcceptedPrice(msgspec.Struct, frozen=True):
    """The price that an order owes, and the price of its shipment as it is now."""

    transactions: Sequence[Transaction]
    charged_amount: int
    new_amount: int
    currency: str
    distance: int
    tax_rate: Decimal | None
    tax_difference: int


async def adjust_price(
    db: Db, order: OrderAggregate, *, is_measured: bool, can_refuse: bool
) -> dict[str, Any]:
    """Adjust the accepted price of an order whose shipment has changed.

    Depending on the setting `price_changes`, the difference is charged or credited, or the change
    is refused. While the routing engine measures the order, the adjustment waits.

    Returns the changed columns of the order.
    """
    row = order.row
    price_changes = (await company_settings.load(db, row.company)).price_changes
    if price_changes == "keep" or row.priced_shipment is None:
        return {}
    shipment = pricing.to_shipment(db, order)
    if shipment is None and price_changes == "refuse" and can_refuse:
        # Without its places, nobody knows whether the price stays the same.
        raise PriceFixed
    if shipment is None:
        return {}
    fingerprint = signing.fingerprint_shipment(shipment)
    if fingerprint == row.priced_shipment:
        return {}
    if price_changes == "refuse":
        if can_refuse:
            await _check_same_price(db, order, shipment, is_measured=is_measured)
        return {}
    if not is_measured:
        return {}
    price = await _compare_price(db, row, shipment)
    if price is None:
        return {}
    columns = {"priced_shipment": fingerprint, "priced_distance": price.distance}
    if price.new_amount != price.charged_amount:
        await _charge_difference(db, order, price)
        columns |= standing.to_payment_columns(
            row, await transaction_queries.list_order_transactions(db, row.company, row.uuid)
        )
    return columns


async def _check_same_price(
    db: Db, order: OrderAggregate, shipment: Shipment, *, is_measured: bool
) -> None:
    """Refuse a change, unless the price is known to stay the same."""
    price = await _compare_price(db, order.row, shipment) if is_measured else None
    if price is None or price.new_amount != price.charged_amount:
        raise PriceFixed


async def _compare_price(db: Db, row: Order, shipment: Shipment) -> AcceptedPrice | None:
    """Price a shipment by the version of the accepted rate; None if it has no price for it.

    The accepted quote decides the tax, and for an order without a schedule also the hour.
    """
    if row.service_quote is None:
        return None
    quote = await queries.QUOTES.get(db, row.company, row.service_quote)
    rate = await rates.get_version(db, row.company, quote.service_rate, quote.service_rate_version)
    new_quote = await quoting.price_by_rate(
        db,
        row.company,
        # Whatever the company's tax is now.
        msgspec.structs.replace(rate, tax_rate=quote.tax_rate or Decimal(0)),
        msgspec.structs.replace(shipment, effective_at=row.scheduled_at or quote.created_at),
        includes_tax=taxation.includes_tax(quote.items),
    )
    if new_quote is None:
        return None
    transactions = await _lock_owed_transactions(db, row, quote.currency)
    price_charges = await _list_price_charges(db, row.company, transactions)
    return AcceptedPrice(
        transactions,
        sum(charge.amount for charge in price_charges),
        new_quote.amount,
        quote.currency,
        shipment.route.distance,
        quote.tax_rate,
        new_quote.tax_amount - sum(charge.tax_amount for charge in price_charges),
    )


async def _lock_owed_transactions(db: Db, order: Order, currency: str) -> list[Transaction]:
    return [
        transaction
        for transaction in await transaction_queries.lock_order_transactions(
            db, order.company, order.uuid
        )
        if transaction.is_owed and transaction.currency == currency
    ]


async def _list_price_charges(
    db: Db, company: UUID, transactions: Sequence[Transaction]
) -> list[Charge]:
    """List the lines of transactions that make up the price of the shipment."""
    uuids = [transaction.uuid for transaction in transactions]
    return [
        charge
        for charge in await transaction_queries.list_charges(db, company, uuids)
        if charge.kind in PRICE_KINDS
    ]


async def replace_earlier_price(
    db: Db, order: OrderAggregate, quote: ServiceQuote, transaction: Transaction
) -> None:
    """Cancel out what adjustments of an earlier price still owe, when another price is accepted.

    The earlier price itself was refunded or voided.
    """
    row = order.row
    earlier_transactions = [
        each
        for each in await _lock_owed_transactions(db, row, quote.currency)
        if each.uuid != transaction.uuid
    ]
    earlier_charges = await _list_price_charges(db, row.company, earlier_transactions)
    line = ChargeLine(
        kind="adjustment",
        code="ADJUSTMENT",
        details="Another price replaces the earlier one.",
        amount=-sum(charge.amount for charge in earlier_charges),
        tax_rate=quote.tax_rate,
        tax_amount=-sum(charge.tax_amount for charge in earlier_charges),
    )
    await _charge(db, order, line, earlier_transactions, quote.currency)


async def _charge_difference(db: Db, order: OrderAggregate, price: AcceptedPrice) -> None:
    row = order.row
    line = ChargeLine(
        kind="adjustment",
        code="ADJUSTMENT",
        details=_describe_change(row.priced_distance, price.distance),
        amount=price.new_amount - price.charged_amount,
        tax_rate=price.tax_rate,
        tax_amount=price.tax_difference,
    )
    await _charge(db, order, line, price.transactions, price.currency)


async def _charge(
    db: Db,
    order: OrderAggregate,
    line: ChargeLine,
    transactions: Sequence[Transaction],
    currency: str,
) -> None:
    """Charge an order, or credit these transactions as far as other credits left something."""
    row = order.row
    total = sum(transaction.amount for transaction in transactions)
    if -line.amount > total:
        line, _ = split_line(line, [-total, line.amount + total])
    if line.amount == 0:
        return
    if line.amount < 0:
        await charges.credit_transactions(db, transactions, line)
        return
    await charges.charge_order(
        db,
        row.company,
        RowReference(row.uuid, row.public_id),
        line,
        currency=currency,
        customer=order.related.partner(row.customer, row.customer_type),
        # The worker knows no gateway here. The page is opened when somebody asks for it.
        gateway=NoGateway(),
    )


def _describe_change(priced_distance: int | None, distance: int) -> str:
    if priced_distance is None or priced_distance == distance:
        return "The order has changed."
    return f"{_to_kilometres(distance)} km instead of {_to_kilometres(priced_distance)} km."


def _to_kilometres(metres: int) -> Decimal:
    """Convert metres to kilometres with one decimal."""
    return Decimal(divide_half_up(metres, 100)).scaleb(-1)
