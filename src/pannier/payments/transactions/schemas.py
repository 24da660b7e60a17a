"""Transactions in JSON."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import PageIn
from pannier.kit.wording import MESSAGE, MINOR_UNITS
from pannier.payments.settlement import Status
from pannier.payments.transactions.models import (
    Checkout,
    CustomerType,
    Refund,
    Transaction,
    TransactionItem,
)
from pannier.web.identifiers import OrderId, identifier
from pannier.web.shown import Shown
from pannier.web.spelling import spelled
from pannier.web.times import Time

QuoteId = Annotated[str, identifier("quote_9XcVb2NmQ4wErT7y", most=100)]
CustomerId = Annotated[
    str, identifier("contact_4DnWc7ZsPq1XhJ9e", "A customer, contact or vendor.", most=100)
]
Amount = Annotated[int, Meta(description="In whole minor units of the currency.", examples=[1496])]
PartAmount = Annotated[
    int,
    Meta(
        ge=1,
        le=2**63 - 1,
        description="How much to give back, in whole minor units; all that is left, without it.",
        examples=[500],
        extra={MESSAGE: MINOR_UNITS},
    ),
]
Currency = Annotated[str, Meta(description="ISO 4217.", examples=["SGD"])]
Reason = Annotated[str, Meta(min_length=1, max_length=500, examples=["Arrived a day late."])]
ReturnUrl = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=2000,
        description="Where the payer comes back to: `https://`. It is told `transaction` and "
        "`checkout` (`done` or `canceled`); what was paid, the transaction says.",
        examples=["https://shop.example.com/thanks"],
    ),
]
CheckoutUrl = Annotated[
    str,
    Meta(
        description="Where this can be paid; null when it need not or cannot be now.",
        examples=["https://checkout.stripe.com/c/pay/cs_test_a1"],
    ),
]
CheckoutStatus = Literal["preparing", "open", "processing", "paid", "declined", "expired"]
RefundStatus = Literal["pending", "succeeded", "failed"]


class ItemOut(msgspec.Struct):
    """What a part of a transaction is for."""

    code: Annotated[str, Meta(examples=["DISTANCE_FEE"])]
    details: Annotated[str, Meta(examples=["9.321 km at 0.80"])]
    amount: Amount


class RefundOut(Shown, kw_only=True):
    """What is given back."""

    id: Annotated[str, Meta(examples=["refund_3KcWq8PzR5tYvB1n"])]
    amount: Amount
    status: Annotated[
        RefundStatus, Meta(description="`pending` until the gateway has said what came of it.")
    ]
    reason: Reason | None
    error: Annotated[
        str | None,
        Meta(description="Why it failed: a code of ours.", examples=["payment_gateway_refused"]),
    ]

    @classmethod
    def of(cls, row: Refund) -> Self:
        """Spell a refund."""
        return spelled(row, cls, status="pending" if row.state == "wanted" else row.state)


class TransactionOut(Shown, kw_only=True):
    """What is owed for an order, and what was paid of it."""

    id: Annotated[str, Meta(examples=["transaction_6QdXr1MtL8zKpW4c"])]
    order: OrderId | None
    service_quote: QuoteId | None
    customer: CustomerId | None
    customer_type: CustomerType | None
    amount: Amount
    currency: Currency
    status: Annotated[
        Status, Meta(description="What the payments and refunds that are known come to.")
    ]
    amount_paid: Annotated[int, Meta(description="What was taken in all.", examples=[1496])]
    amount_refunded: Annotated[int, Meta(description="What of it was given back.", examples=[0])]
    items: Annotated[list[ItemOut], Meta(description="They add up to the amount.")]
    refunds: list[RefundOut]
    gateway: Annotated[
        str | None, Meta(description="Null when it is paid elsewhere.", examples=["stripe-test"])
    ]
    checkout_url: CheckoutUrl | None
    checkout_status: Annotated[
        CheckoutStatus | None,
        Meta(description="How the page stands on which it was or is being paid, or else the last."),
    ]
    checkout_error: Annotated[
        str | None,
        Meta(
            description="Why the gateway made no page: a code of ours.",
            examples=["payment_gateway_refused"],
        ),
    ]
    paid_at: Time | None
    voided_at: Time | None
    void_reason: Reason | None

    @classmethod
    def of(
        cls,
        row: Transaction,
        names: Mapping[UUID, str],
        *,
        items: Sequence[TransactionItem],
        refunds: Sequence[Refund],
        page: Checkout | None,
        now: datetime,
    ) -> Self:
        """Spell a transaction, with the names of what it is about."""
        return spelled(
            row,
            cls,
            order=None if row.order_uuid is None else names[row.order_uuid],
            customer=None if row.customer is None else names.get(row.customer),
            service_quote=row.quote_id,
            items=[ItemOut(item.code, item.details, item.amount) for item in items],
            refunds=[RefundOut.of(refund) for refund in refunds],
            checkout_url=page.url if page and checkout_status(page, now) == "open" else None,
            checkout_status=checkout_status(page, now),
            checkout_error=page and page.error,
        )


def checkout_status(page: Checkout | None, now: datetime) -> CheckoutStatus | None:
    """Say how a page stands; one that is being closed is as good as expired."""
    if page is None:
        return None
    if page.state == "wanted":
        return "preparing"
    over = page.state == "open" and page.expires_at is not None and page.expires_at <= now
    return "expired" if over or page.state == "closing" else page.state


class TransactionFilters(PageIn, frozen=True, kw_only=True):
    """How transactions are listed."""

    status: Annotated[list[Status] | None, Meta(description="Any of these.")] = None
    order: Annotated[OrderId | None, Meta(description="Of this order.")] = None
    customer: Annotated[CustomerId | None, Meta(description="Owed by this one.")] = None
    service_quote: Annotated[QuoteId | None, Meta(description="From this quote.")] = None


class VoidIn(msgspec.Struct):
    """Why a transaction is void."""

    reason: Reason | None = None


class RefundIn(msgspec.Struct):
    """What is given back, and why."""

    amount: PartAmount | None = None
    reason: Reason | None = None


class CheckoutIn(msgspec.Struct):
    """Where a payer comes back to."""

    return_url: ReturnUrl | None = None
