"""Events of transactions. Each is a snapshot of the transaction, without personal data."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import Db
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.payments.settlement import Status
from pannier.payments.transactions import queries
from pannier.payments.transactions.models import Charge, ChargeKind, CustomerType, Transaction
from pannier.payments.transactions.schemas import (
    Amount,
    Currency,
    CustomerId,
    QuoteId,
    TaxAmount,
    TaxRate,
)
from pannier.web.identifiers import OrderId
from pannier.web.serialization import to_schema
from pannier.web.times import Time

ChargeId = Annotated[str, Meta(examples=["charge_2WmQz7KcT4xRb9Lp"])]
TransactionId = Annotated[str, Meta(examples=["transaction_6QdXr1MtL8zKpW4c"])]


class TransactionEvent(msgspec.Struct, kw_only=True):
    """Fields of every transaction event."""

    id: Annotated[TransactionId, Meta(description="The transaction, by public id.")]
    public_id: Annotated[TransactionId, Meta(description="The same as `id`.")]
    uuid: Annotated[UUID, Meta(description="The UUID.")]
    order: Annotated[OrderId | None, Meta(description="The order, by public id.")]
    service_quote: Annotated[QuoteId | None, Meta(description="The accepted quote.")]
    customer: Annotated[
        CustomerId | None, Meta(description="The contact or vendor who owes the amount.")
    ]
    customer_type: Annotated[CustomerType | None, Meta(description="The kind of customer.")]
    amount: Amount
    currency: Currency
    status: Annotated[Status, Meta(description="The status after the change.")]
    amount_paid: Annotated[
        int, Meta(description="Total amount paid, without lost disputes.", examples=[1496])
    ]
    amount_refunded: Annotated[int, Meta(description="Total amount refunded.", examples=[0])]
    amount_disputed: Annotated[int, Meta(description="Total of lost disputes.", examples=[0])]
    balance: Annotated[
        int, Meta(description="The amount still owed. Below zero, it is a credit.", examples=[0])
    ]
    gateway: Annotated[
        str | None, Meta(description="The payment gateway, if any.", examples=["stripe-live"])
    ]
    paid_at: Annotated[Time | None, Meta(description="Time of the first payment.")]
    voided_at: Annotated[Time | None, Meta(description="Time of voiding.")]
    created_at: Annotated[Time, Meta(description="Time of creation.")]

    @classmethod
    def from_row(cls, row: Transaction, names: Mapping[UUID, str]) -> Self:
        return to_schema(
            row,
            cls,
            id=row.public_id,
            order=None if row.order_uuid is None else names[row.order_uuid],
            service_quote=row.quote_id,
            customer=None if row.customer is None else names.get(row.customer),
        )


class TransactionCreated(TransactionEvent, kw_only=True):
    """A customer owes an amount, for example after a quote was accepted.

    The status of a transaction without an amount is `paid` from the start.

    Emitted by `POST /v1/service-quotes/{service_quote_id}/accept`, `POST /v1/orders` with a quote,
    `POST /storefront/v1/customers/orders` and `POST /v1/orders/{order_id}/dispatch`.
    """


class TransactionPaid(TransactionEvent, kw_only=True):
    """The amount of a transaction is paid in full, by any method.

    Sent again if the transaction was not paid in full meanwhile, for example after a lost dispute.

    Emitted by `POST /v1/transactions/{transaction_id}/payments`, and by
    `POST /payments/stripe/notices` when the gateway reports the payment.
    """


class TransactionRefunded(TransactionEvent, kw_only=True):
    """Money was refunded, in full or in part. Sent for each refund once it has succeeded.

    Emitted by `POST /v1/transactions/{transaction_id}/refund` for a payment outside a gateway, and
    by `POST /payments/stripe/notices` when the gateway reports the refund.
    """


class TransactionVoided(TransactionEvent, kw_only=True):
    """A transaction was voided, so its amount is no longer owed.

    Emitted by `POST /int/v1/transactions/{transaction_id}/void`, and by
    `POST /v1/orders/{order_id}/cancel` and other ends of an order.
    """


class ChargeCreated(msgspec.Struct, kw_only=True):
    """A charge, or with a negative amount a credit, was added to an order.

    The lines of an accepted quote are not emitted. They are part of `transaction.created`. A credit
    that several transactions share is emitted for each of them.

    Emitted by `POST /v1/orders/{order_id}/charges`, by changes of the order such as
    `PATCH /v1/orders/{order_id}`, and by its end, such as `POST /v1/orders/{order_id}/cancel`.
    """

    id: Annotated[ChargeId, Meta(description="The charge, by public id.")]
    public_id: Annotated[ChargeId, Meta(description="The same as `id`.")]
    uuid: Annotated[UUID, Meta(description="The UUID.")]
    order: Annotated[OrderId | None, Meta(description="The order, by public id.")]
    transaction: Annotated[
        TransactionId, Meta(description="The transaction that contains the charge.")
    ]
    kind: Annotated[ChargeKind, Meta(description="The kind of charge.")]
    code: Annotated[str, Meta(description="The code of the line.", examples=["WAITING"])]
    amount: Annotated[
        int,
        Meta(
            description="In whole minor units, including tax. Credits are negative.",
            examples=[850],
        ),
    ]
    currency: Currency
    tax_rate: TaxRate | None
    tax_amount: TaxAmount
    created_at: Annotated[Time, Meta(description="Time of creation.")]

    @classmethod
    def from_row(cls, row: Charge, transaction: Transaction, order: str | None) -> Self:
        return to_schema(
            row,
            cls,
            id=row.public_id,
            order=order,
            transaction=transaction.public_id,
            currency=transaction.currency,
        )


_TYPES: Final[Mapping[Name, type[TransactionEvent]]] = {
    Name.TRANSACTION_CREATED: TransactionCreated,
    Name.TRANSACTION_PAID: TransactionPaid,
    Name.TRANSACTION_REFUNDED: TransactionRefunded,
    Name.TRANSACTION_VOIDED: TransactionVoided,
}
SCHEMAS: Final[Mapping[Name, type[msgspec.Struct]]] = {
    **_TYPES,
    Name.CHARGE_CREATED: ChargeCreated,
}


async def emit_created(db: Db, transaction: Transaction) -> None:
    """Emit the event of a new transaction."""
    await _emit(db, transaction, [Name.TRANSACTION_CREATED])


async def emit_change(db: Db, before: Transaction, after: Transaction) -> None:
    """Emit the events of a change. Whatever causes it, each is emitted once."""
    await _emit(db, after, list_changes(before, after))


def list_changes(before: Transaction, after: Transaction) -> list[Name]:
    """List the events between two states of a transaction."""
    names = []
    if _became_paid(before, after):
        names.append(Name.TRANSACTION_PAID)
    if after.amount_refunded > before.amount_refunded:
        names.append(Name.TRANSACTION_REFUNDED)
    if after.voided_at is not None and before.voided_at is None:
        names.append(Name.TRANSACTION_VOIDED)
    return names


def _became_paid(before: Transaction, after: Transaction) -> bool:
    """Return whether payments now cover the amount.

    A refund that fails also leads back to `paid`, but nobody has paid.
    """
    has_changed = after.status == "paid" and before.status != "paid" and after.amount > 0
    was_open = before.status in {"unpaid", "partially_paid"}
    return has_changed and (was_open or after.amount_paid > before.amount_paid)


async def emit_charges(db: Db, transaction: Transaction, charges: Sequence[Charge]) -> None:
    """Emit the events of new charges and credits, but not of a quote's lines."""
    added_charges = [charge for charge in charges if charge.kind != "quote"]
    if not added_charges:
        return
    order = await _find_order_id(db, transaction)
    for charge in added_charges:
        await outbox.emit(
            db,
            transaction.company,
            Name.CHARGE_CREATED,
            ChargeCreated.from_row(charge, transaction, order),
            subject=charge.public_id,
            thread=order or transaction.public_id,
        )


async def _find_order_id(db: Db, transaction: Transaction) -> str | None:
    if transaction.order_uuid is None:
        return None
    names = await queries.load_order_names(db, transaction.company, [transaction.order_uuid])
    return names[transaction.order_uuid]


async def _emit(db: Db, transaction: Transaction, names: list[Name]) -> None:
    """Emit events in the sequence of the order, if the transaction belongs to one."""
    if not names:
        return
    public_ids = await queries.load_public_ids(db, transaction.company, [transaction])
    order = None if transaction.order_uuid is None else public_ids[transaction.order_uuid]
    for name in names:
        data = _TYPES[name].from_row(transaction, public_ids)
        await outbox.emit(
            db, transaction.company, name, data, subject=transaction.public_id, thread=order
        )
