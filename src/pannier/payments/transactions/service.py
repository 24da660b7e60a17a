"""Operations on transactions, inside the caller's database transaction, without gateways.

Callers that change a transaction, its pages or its refunds must lock the transaction's row.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.db.row import RowReference
from pannier.errors import Conflict, FieldError, Invalid
from pannier.kit import money
from pannier.kit.money import MAX_AMOUNT, Money
from pannier.partners.models import Contact, Vendor
from pannier.payments import facts, settlement
from pannier.payments.gateway import Gateway, GatewayNotConfigured, check_mode
from pannier.payments.transactions import events, followers, queries
from pannier.payments.transactions.lines import author_columns, insert_lines
from pannier.payments.transactions.models import (
    ChargeLine,
    Checkout,
    CustomerType,
    Payment,
    PaymentMethod,
    Transaction,
)
from pannier.payments.transactions.queries import TRANSACTIONS

# Time before the worker opens a page that its request has not opened.
WORKER_DELAY: Final = timedelta(seconds=60)
# How far a caller's clock may be ahead.
CLOCK_TOLERANCE: Final = timedelta(minutes=5)
# Of charges of an order, and of payments and of refunds of a transaction. All are read at once.
MAX_ENTRIES: Final = 500


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


class TooManyEntries(Conflict):
    """An order has a limited number of charges, and a transaction of payments and refunds."""

    code = "too_many_entries"
    title = "There are too many entries."
    remedy = "Record several amounts as one."


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
    is_charged = amount > 0 and await can_take_payments(db, company, gateway)
    row = await TRANSACTIONS.create(
        db,
        company,
        order_uuid=order and order.uuid,
        quote=quote and quote.uuid,
        quote_id=quote and quote.public_id,
        **payer_columns(customer),
        amount=amount,
        currency=currency,
        status=settlement.derive_status(amount, 0, 0, voided=False),
        balance=amount,
        paid_at=db.now if amount == 0 else None,
        gateway=gateway.name if is_charged else None,
    )
    await events.emit_created(db, row)
    await insert_lines(db, row, lines)
    if is_charged:
        await request_checkout(db, row, gateway, return_url, opens_now=opens_now)
    return row


def payer_columns(customer: Contact | Vendor | None) -> dict[str, Any]:
    """Return the columns that name who owes a transaction."""
    kind: CustomerType = "contact" if isinstance(customer, Contact) else "vendor"
    return {"customer": customer and customer.uuid, "customer_type": customer and kind}


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
        amount=transaction.balance,
    )
    await db.insert("checkouts", page)
    if not opens_now:
        db.notify(facts.CHANNEL)
    return page


async def link_order(
    db: Db, transaction: Transaction, order: UUID, customer: Contact | Vendor | None
) -> Transaction:
    """Link a transaction to an order. Its customer pays, unless another payer was named before."""
    columns = payer_columns(customer) if transaction.customer is None else {}
    updated_transaction, _ = await TRANSACTIONS.change(db, transaction, order_uuid=order, **columns)
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
    return await mark_void(db, transaction, reason)


async def mark_void(db: Db, transaction: Transaction, reason: str | None) -> Transaction:
    """Void a transaction, even a paid one. The caller refreshes a paid one."""
    voided_transaction, _ = await TRANSACTIONS.change(
        db,
        transaction,
        log_action="voided",
        status="voided",
        voided_at=db.now,
        void_reason=reason,
        balance=0,
    )
    await facts.close_checkouts(db, voided_transaction)
    await events.emit_change(db, transaction, voided_transaction)
    await followers.follow_balance(db, voided_transaction)
    return voided_transaction


def check_entry_count(count: int) -> None:
    """Refuse another entry of a kind if there are too many."""
    if count >= MAX_ENTRIES:
        raise TooManyEntries


async def record_payment(
    db: Db,
    transaction: Transaction,
    *,
    method: PaymentMethod,
    amount: int | None,
    reference: str | None,
    received_at: datetime | None,
) -> Transaction:
    """Record money that was received outside a gateway: by default, the amount still owed.

    More than is owed becomes a credit, which a person refunds.
    """
    if transaction.voided_at is not None:
        raise AlreadyVoid
    if not transaction.is_owed:
        raise AlreadyPaid("Everything was refunded. Accept another quote to charge for the order.")
    if amount is None and not transaction.is_open:
        raise AlreadyPaid
    if received_at is not None and received_at > db.now + CLOCK_TOLERANCE:
        raise Invalid(fields=[FieldError("received_at", "must not be in the future.")])
    if transaction.amount_paid + (amount or 0) > MAX_AMOUNT:
        raise Invalid(fields=[FieldError("amount", "The amount is too large.")])
    payments = await queries.list_payments(db, transaction.company, [transaction.uuid])
    check_entry_count(len(payments))
    payment = Payment(
        **db.new_row_fields(transaction.company, "payment"),
        **author_columns(db),
        transaction=transaction.uuid,
        method=method,
        amount=transaction.balance if amount is None else amount,
        reference=reference,
        received_at=received_at or db.now,
    )
    await db.insert("payments", payment)
    # The open pages ask for an amount that was paid.
    await facts.close_checkouts(db, transaction)
    return await facts.refresh_transaction(db, transaction)


async def refund_transaction(
    db: Db, transaction: Transaction, gateway: Gateway, amount: int | None, reason: str | None
) -> Transaction:
    """Refund an amount, or the whole refundable amount.

    Gateways refund what they received. A person has refunded the rest.
    """
    refundable_by_payment = (await facts.compute_settlement(db, transaction)).refundable
    refundable = sum(refundable_by_payment.values())
    if refundable == 0:
        raise NothingToRefund
    if amount is not None and amount > refundable:
        limit = Money(refundable, transaction.currency).format()
        message = f"must not exceed the amount left to refund, {limit}."
        raise Invalid(fields=[FieldError("amount", message)])
    shares = settlement.distribute_refund(
        refundable_by_payment, refundable if amount is None else amount
    )
    refunds = await queries.list_refunds(db, transaction.company, [transaction.uuid])
    check_entry_count(len(refunds))
    recorded_payments = {
        payment.public_id
        for payment in await queries.list_payments(db, transaction.company, [transaction.uuid])
    }
    if not shares.keys() <= recorded_payments:
        await _check_same_gateway(db, transaction, gateway)
        check_mode(gateway, (await company_settings.load(db, transaction.company)).mode)
    for payment, share in shares.items():
        if payment in recorded_payments:
            await facts.record_refund(db, transaction, payment, share, reason)
        else:
            await facts.queue_refund(db, transaction, payment, share, reason)
    return await facts.refresh_transaction(db, transaction)


async def _check_same_gateway(db: Db, transaction: Transaction, gateway: Gateway) -> None:
    """Refuse a refund that only a previously configured gateway could make."""
    pages = await queries.list_checkouts(db, transaction.company, [transaction.uuid])
    if {page.gateway for page in pages if page.payment is not None} != {gateway.name}:
        raise GatewayNotConfigured("This was paid at a gateway that is no longer configured.")
