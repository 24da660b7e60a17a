"""Verbs of transactions, each inside its caller's transaction; gateways are asked afterwards.

Whoever changes a transaction, its pages or its refunds holds the transaction's row.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.db.row import Named
from pannier.errors import Conflict, Field, Invalid
from pannier.kit import money
from pannier.kit.money import Money
from pannier.partners.models import Contact, Vendor
from pannier.payments import facts, settlement
from pannier.payments.gateway import Gateway, NotConfigured
from pannier.payments.transactions import queries
from pannier.payments.transactions.models import (
    Checkout,
    CustomerType,
    Line,
    Transaction,
    TransactionItem,
)
from pannier.payments.transactions.queries import TRANSACTIONS

# How long the worker leaves a page to the request that wants it.
GRACE: Final = timedelta(seconds=60)


class AlreadyPaid(Conflict):
    """What was paid, even in part, is refunded, not voided."""

    code = "transaction_paid"
    title = "Something was paid already; refund it instead."


class AlreadyVoid(Conflict):
    """A voided transaction is over."""

    code = "transaction_voided"
    title = "The transaction is void."


class NothingToRefund(Conflict):
    """Nothing was paid, or all of it was given back or is on its way."""

    code = "nothing_to_refund"
    title = "There is nothing left to give back."


async def open_transaction(
    db: Db,
    company: UUID,
    *,
    lines: Sequence[Line],
    currency: str,
    gateway: Gateway,
    order: Named | None = None,
    quote: Named | None = None,
    customer: Contact | Vendor | None = None,
    return_url: str | None = None,
    fetched: bool = True,
) -> Transaction:
    """Write down what is owed; where a gateway takes money, a page to pay it on is wanted.

    The page is asked for after the commit: by `checkouts.offer`, where the caller fetches it, or
    else by the worker.
    """
    amount = money.total((Money(line.amount, currency) for line in lines), currency).amount
    kind: CustomerType = "contact" if isinstance(customer, Contact) else "vendor"
    asked = amount > 0 and await takes_money(db, company, gateway)
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
        status=settlement.status(amount, 0, 0, voided=False),
        paid_at=db.now if amount == 0 else None,
        gateway=gateway.name if asked else None,
    )
    items = [
        TransactionItem(row.uuid, position, line.code, line.details, line.amount)
        for position, line in enumerate(lines)
    ]
    await db.insert("transaction_items", *items)
    if asked:
        await want_checkout(db, row, gateway, return_url, fetched=fetched)
    return row


async def takes_money(db: Db, company: UUID, gateway: Gateway) -> bool:
    """Tell whether a gateway takes money for a company: a live one never does in test mode."""
    mode = (await company_settings.of(db, company)).mode
    return gateway.name != "none" and not (gateway.live and mode == "test")


async def want_checkout(
    db: Db,
    transaction: Transaction,
    gateway: Gateway,
    return_url: str | None,
    *,
    fetched: bool = True,
) -> Checkout:
    """Write down that a page is wanted, before anybody asks for it."""
    page = Checkout(
        **db.begun(transaction.company),
        transaction=transaction.uuid,
        gateway=gateway.name,
        state="wanted",
        return_url=return_url,
        due_at=db.now + GRACE if fetched else db.now,
    )
    await db.insert("checkouts", page)
    if not fetched:
        db.ring(facts.CHANNEL)
    return page


async def void(db: Db, transaction: Transaction, reason: str | None = None) -> Transaction:
    """Call off what nobody has paid; pages on which it could be paid are closed by the worker.

    Who pays at the very moment gets it back: what is void keeps no money.
    """
    if transaction.voided_at is not None:
        return transaction
    if transaction.amount_paid > 0:
        raise AlreadyPaid
    voided, _ = await TRANSACTIONS.change(
        db,
        transaction,
        log_action="voided",
        status="voided",
        voided_at=db.now,
        void_reason=reason,
    )
    await facts.close_checkouts(db, voided)
    return voided


async def void_unpaid(db: Db, company: UUID, order: UUID, reason: str | None = None) -> None:
    """Call off what nobody has paid of an order; what was paid stays, for an operator to refund."""
    for each in await queries.of_order(db, company, order):
        if each.amount_paid == 0 and each.voided_at is None:
            await void(db, each, reason)


async def refund(
    db: Db, transaction: Transaction, gateway: Gateway, amount: int | None, reason: str | None
) -> Transaction:
    """Have money given back by the worker: so much, or all that is left."""
    left = (await facts.settlement_of(db, transaction)).left
    most = sum(left.values())
    if most == 0:
        raise NothingToRefund
    if amount is not None and amount > most:
        sentence = f"must be no more than what is left to give back: {most}."
        raise Invalid(fields=[Field("amount", sentence)])
    await _check_taken_by(db, transaction, gateway)
    shares = settlement.shared_out(left, most if amount is None else amount)
    for payment, share in shares.items():
        await facts.give_back(db, transaction, payment, share, reason)
    return await TRANSACTIONS.touch(db, transaction)


async def _check_taken_by(db: Db, transaction: Transaction, gateway: Gateway) -> None:
    """Refuse to promise what only another gateway than the present one could do."""
    pages = await queries.checkouts_of(db, transaction.company, [transaction.uuid])
    if {page.gateway for page in pages if page.payment is not None} != {gateway.name}:
        raise NotConfigured("This was paid at another gateway than the one that is configured.")
