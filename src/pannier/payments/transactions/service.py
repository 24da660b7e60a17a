"""Operations on transactions, inside the caller's database transaction, without gateways.

Callers that change a transaction, its pages or its refunds must lock the transaction's row.
"""

from collections.abc import Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.db.row import RowReference
from pannier.errors import Conflict, FieldError, Invalid
from pannier.kit import money
from pannier.kit.money import Money
from pannier.partners.models import Contact, Vendor
from pannier.payments import facts, settlement
from pannier.payments.gateway import Gateway, GatewayNotConfigured, check_mode
from pannier.payments.transactions import events, queries
from pannier.payments.transactions.models import (
    ChargeLine,
    Checkout,
    CustomerType,
    Transaction,
    TransactionItem,
)
from pannier.payments.transactions.queries import TRANSACTIONS

# Time before the worker opens a page that its request has not opened.
WORKER_DELAY: Final = timedelta(seconds=60)
NOT_DELIVERED: Final = "The order could not be delivered."


class AlreadyPaid(Conflict):
    """A transaction can be voided only while nothing has been paid."""

    code = "transaction_paid"
    title = "The transaction is paid."
    remedy = "Refund it instead."


class AlreadyVoid(Conflict):
    """A voided transaction cannot be changed."""

    code = "transaction_voided"
    title = "The transaction is voided."
    remedy = "Accept another quote to charge for the order."


class NothingToRefund(Conflict):
    """Nothing was paid, or the full amount has been or is being refunded."""

    code = "nothing_to_refund"
    title = "Nothing is left to refund."
    remedy = "See the transaction's refunds."


async def open_transaction(
    db: Db,
    company: UUID,
    *,
    lines: Sequence[ChargeLine],
    currency: str,
    gateway: Gateway,
    order: RowReference | None = None,
    quote: RowReference | None = None,
    customer: Contact | Vendor | None = None,
    return_url: str | None = None,
    opens_now: bool = True,
) -> Transaction:
    """Record an amount owed. If a gateway serves the company, also request a checkout page.

    The page is opened after the commit: by the caller with `checkouts.open_requested_page` if
    `opens_now`, else by the worker.
    """
    amount = money.total((Money(line.amount, currency) for line in lines), currency).amount
    kind: CustomerType = "contact" if isinstance(customer, Contact) else "vendor"
    is_charged = amount > 0 and await can_take_payments(db, company, gateway)
    row = await TRANSACTIONS.create(
        db,
        company,
        order_uuid=order and order.uuid,
        quote=quote and quote.uuid,
        quote_id=quote and quote.public_id,
        customer=customer and customer.uuid,
        customer_type=customer and kind,
        amount=amount,
        currency=currency,
        status=settlement.derive_status(amount, 0, 0, voided=False),
        paid_at=db.now if amount == 0 else None,
        gateway=gateway.name if is_charged else None,
    )
    items = [
        TransactionItem(row.uuid, position, line.code, line.details, line.amount)
        for position, line in enumerate(lines)
    ]
    await db.insert("transaction_items", *items)
    if is_charged:
        await request_checkout(db, row, gateway, return_url, opens_now=opens_now)
    await events.emit_created(db, row)
    return row


async def can_take_payments(db: Db, company: UUID, gateway: Gateway) -> bool:
    """Return whether a gateway serves companies of this company's mode."""
    return (await company_settings.load(db, company)).mode in gateway.modes


async def request_checkout(
    db: Db,
    transaction: Transaction,
    gateway: Gateway,
    return_url: str | None,
    *,
    opens_now: bool = True,
) -> Checkout:
    """Record the request for a page, which is sent to the gateway later."""
    page = Checkout(
        **db.new_row_fields(transaction.company),
        transaction=transaction.uuid,
        gateway=gateway.name,
        state="wanted",
        return_url=return_url,
        due_at=db.now + WORKER_DELAY if opens_now else db.now,
    )
    await db.insert("checkouts", page)
    if not opens_now:
        db.notify(facts.CHANNEL)
    return page


async def link_order(db: Db, transaction: Transaction, order: UUID) -> Transaction:
    updated_transaction, _ = await TRANSACTIONS.change(db, transaction, order_uuid=order)
    return updated_transaction


async def void_transaction(
    db: Db, transaction: Transaction, reason: str | None = None
) -> Transaction:
    """Void an unpaid transaction. The worker closes its open pages.

    A payment at the same moment is refunded, because a void transaction keeps no money.
    """
    if transaction.voided_at is not None:
        return transaction
    if transaction.amount_paid > 0:
        raise AlreadyPaid
    return await _mark_void(db, transaction, reason)


async def _mark_void(db: Db, transaction: Transaction, reason: str | None) -> Transaction:
    voided_transaction, _ = await TRANSACTIONS.change(
        db,
        transaction,
        log_action="voided",
        status="voided",
        voided_at=db.now,
        void_reason=reason,
    )
    await facts.close_checkouts(db, voided_transaction)
    await events.emit_change(db, transaction, voided_transaction)
    return voided_transaction


async def void_unpaid_transactions(
    db: Db, company: UUID, order: UUID, reason: str | None = None
) -> list[Transaction]:
    """Void the unpaid transactions of an order. An operator can refund the paid ones.

    Return all transactions of the order as they are now.
    """
    return [
        await void_transaction(db, transaction, reason)
        if transaction.amount_paid == 0
        else transaction
        for transaction in await queries.lock_order_transactions(db, company, order)
    ]


async def charge_undelivered_order(db: Db, company: UUID, order: UUID) -> list[Transaction]:
    """Charge for an order that could not be delivered, according to its company's settings.

    Amounts paid beyond the charge are refunded.

    Return all transactions of the order as they are now.
    """
    settings = await company_settings.load(db, company)
    transactions = await queries.lock_order_transactions(db, company, order)
    match settings.undelivered_charge:
        case "void":
            return [await _void_and_refund(db, transaction) for transaction in transactions]
        case "return_fee":
            fee = settings.return_fee or 0
            return [
                await _reduce_amount(
                    db, transaction, compute_return_charge(transaction.amount, fee)
                )
                for transaction in transactions
            ]
        case _:
            return transactions


def compute_return_charge(amount: int, fee: int | str) -> int:
    """Return the charge for a return: a fee in minor units or a share, at most the price."""
    if isinstance(fee, int):
        return min(fee, amount)
    hundredths = int(Decimal(fee.removesuffix("%")) * 100)
    return money.divide_half_up(amount * hundredths, 100 * 100)


async def _void_and_refund(db: Db, transaction: Transaction) -> Transaction:
    """Void a transaction and refund its payments."""
    if not transaction.is_owed:
        return transaction
    voided_transaction = await _mark_void(db, transaction, NOT_DELIVERED)
    return (
        await facts.refresh_transaction(db, voided_transaction)
        if voided_transaction.amount_paid
        else voided_transaction
    )


async def _reduce_amount(db: Db, transaction: Transaction, amount: int) -> Transaction:
    """Reduce a transaction to an amount, and refund payments beyond it."""
    if not transaction.is_owed or amount == transaction.amount:
        return transaction
    if amount == 0:
        # The result is the same as for a paid transaction that is refunded in full.
        return await _void_and_refund(db, transaction)
    credit = amount - transaction.amount
    position: int = await db.fetch_value(
        """select count(*) from transaction_items i join transactions t on t.uuid = i.transaction
           where t.company = :company and i.transaction = :transaction""",
        company=transaction.company,
        transaction=transaction.uuid,
    )
    item = TransactionItem(transaction.uuid, position, "UNDELIVERED", NOT_DELIVERED, credit)
    await db.insert("transaction_items", item)
    reduced_transaction, _ = await TRANSACTIONS.change(
        db,
        transaction,
        log_action="reduced",
        amount=amount,
        status=settlement.derive_status(
            amount, transaction.amount_paid, transaction.amount_refunded, voided=False
        ),
    )
    await events.emit_change(db, transaction, reduced_transaction)
    # The open pages ask for the whole price.
    await facts.close_checkouts(db, reduced_transaction)
    return await facts.refresh_transaction(db, reduced_transaction)


async def refund_transaction(
    db: Db, transaction: Transaction, gateway: Gateway, amount: int | None, reason: str | None
) -> Transaction:
    """Queue refunds of an amount, or of the whole refundable amount."""
    refundable_by_payment = (await facts.compute_settlement(db, transaction)).refundable
    refundable = sum(refundable_by_payment.values())
    if refundable == 0:
        raise NothingToRefund
    if amount is not None and amount > refundable:
        message = f"must be at most {refundable}, the amount left to refund."
        raise Invalid(fields=[FieldError("amount", message)])
    await _check_same_gateway(db, transaction, gateway)
    check_mode(gateway, (await company_settings.load(db, transaction.company)).mode)
    shares = settlement.distribute_refund(
        refundable_by_payment, refundable if amount is None else amount
    )
    for payment, share in shares.items():
        await facts.queue_refund(db, transaction, payment, share, reason)
    return await TRANSACTIONS.touch(db, transaction)


async def _check_same_gateway(db: Db, transaction: Transaction, gateway: Gateway) -> None:
    """Refuse a refund that only a previously configured gateway could make."""
    pages = await queries.list_checkouts(db, transaction.company, [transaction.uuid])
    if {page.gateway for page in pages if page.payment is not None} != {gateway.name}:
        raise GatewayNotConfigured("This was paid at a gateway that is no longer configured.")
