"""The rows of transactions. Amounts are whole minor units of the transaction's currency."""

from datetime import datetime
from decimal import Decimal
from typing import Literal
from uuid import UUID

import msgspec

from pannier.db.actor import Kind
from pannier.db.row import PlainRow, PublicRow, VersionedRow
from pannier.payments.settlement import GatewayFact, Status

CustomerType = Literal["contact", "vendor"]
CheckoutState = Literal["wanted", "open", "closing", "processing", "paid", "declined", "expired"]
RefundRowState = Literal["wanted", "pending", "succeeded", "failed"]


ChargeKind = Literal[
    "quote", "adjustment", "waiting", "redelivery", "return", "cancellation", "surcharge",
    "discount", "goodwill", "other",
]  # fmt: skip
PaymentMethod = Literal["cash", "transfer", "check", "account", "other"]


class ChargeLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line to add to a transaction. The amount contains the tax; credits are negative."""

    code: str
    details: str
    amount: int
    kind: ChargeKind = "quote"
    tax_rate: Decimal | None = None
    tax_amount: int = 0
    reason: str | None = None


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
    # The amount still owed. Below zero, it is a credit.
    balance: int = 0
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

    @property
    def is_open(self) -> bool:
        """Whether something is still to be paid."""
        return self.is_owed and self.balance > 0


class Authored(PublicRow, kw_only=True):
    """A row with the actor who caused it."""

    actor_kind: Kind
    actor_id: str
    actor_name: str


class Charge(Authored, kw_only=True):
    """A line of a transaction, which never changes."""

    transaction: UUID
    position: int
    kind: ChargeKind
    code: str
    details: str
    amount: int
    tax_rate: Decimal | None = None
    tax_amount: int = 0
    reason: str | None = None


class Payment(Authored, kw_only=True):
    """Money that was received outside a gateway."""

    transaction: UUID
    method: PaymentMethod
    amount: int
    reference: str | None = None
    received_at: datetime


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
    # Null on older pages, which ask for the whole transaction.
    amount: int | None = None

    def get_amount(self, transaction: Transaction) -> int:
        """Return the amount that the page asks for."""
        return transaction.amount if self.amount is None else self.amount


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
