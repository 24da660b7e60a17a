"""The rows of transactions. Amounts are whole minor units of the transaction's currency."""

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

from pannier.db.row import PlainRow, VersionedRow
from pannier.payments.settlement import GatewayFact, Status

CustomerType = Literal["contact", "vendor"]
CheckoutState = Literal["wanted", "open", "closing", "processing", "paid", "declined", "expired"]
RefundRowState = Literal["wanted", "pending", "succeeded", "failed"]


class ChargeLine(msgspec.Struct, frozen=True):
    """A line of a transaction. Rebates are negative."""

    code: str
    details: str
    amount: int


class Transaction(VersionedRow, kw_only=True):
    """A customer's debt or payment for an order."""

    order_uuid: UUID | None = None
    quote: UUID | None = None
    quote_id: str | None = None
    customer: UUID | None = None
    customer_type: CustomerType | None = None
    amount: int
    currency: str
    status: Status
    amount_paid: int = 0
    amount_refunded: int = 0
    amount_disputed: int = 0
    gateway: str | None = None
    paid_at: datetime | None = None
    voided_at: datetime | None = None
    void_reason: str | None = None

    @property
    def is_owed(self) -> bool:
        """Whether it is neither void nor refunded in full."""
        return self.voided_at is None and self.status != "refunded"

    @property
    def is_settled(self) -> bool:
        """Whether it is owed and paid in full."""
        return self.is_owed and self.amount_paid >= self.amount


class TransactionItem(msgspec.Struct):
    """A line of a transaction."""

    transaction: UUID
    position: int
    code: str
    details: str
    amount: int


class Checkout(PlainRow, kw_only=True):
    """A checkout page at a gateway."""

    transaction: UUID
    gateway: str
    state: CheckoutState
    session: str | None = None
    url: str | None = None
    expires_at: datetime | None = None
    return_url: str | None = None
    payment: str | None = None
    error: str | None = None
    attempts: int = 0
    due_at: datetime | None = None


class RecordedFact(GatewayFact, frozen=True, kw_only=True):
    """A gateway's statement about a transaction, and when it arrived."""

    transaction: UUID
    told_at: datetime


class Refund(VersionedRow, kw_only=True):
    """A refund of a payment."""

    transaction: UUID
    gateway: str
    payment: str
    amount: int
    reason: str | None = None
    state: RefundRowState
    reference: str | None = None
    error: str | None = None
    attempts: int = 0
    due_at: datetime | None = None
