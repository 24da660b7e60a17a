"""Transactions in JSON."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Annotated, ClassVar, Literal, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import PageIn
from pannier.kit.wording import MESSAGE, MINOR_UNITS
from pannier.partners.schemas import BalanceFilter
from pannier.payments.settlement import DisputeState, GatewayDispute, Status, list_disputes
from pannier.payments.transactions.models import (
    Charge,
    ChargeKind,
    Checkout,
    CustomerType,
    Payment,
    PaymentMethod,
    RecordedFact,
    Refund,
    Transaction,
)
from pannier.web.actors import ActorOut
from pannier.web.identifiers import OrderId, OrderReference, identifier
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema
from pannier.web.times import Moment, Time, to_rfc3339

QuoteId = Annotated[str, identifier("quote_9XcVb2NmQ4wErT7y", max_length=100)]
CustomerId = Annotated[
    str, identifier("contact_4DnWc7ZsPq1XhJ9e", "A customer, contact or vendor.", max_length=100)
]
Amount = Annotated[int, Meta(description="In whole minor units of the currency.", examples=[1496])]
PartAmount = Annotated[
    int,
    Meta(
        ge=1,
        le=2**63 - 1,
        description="In whole minor units. Defaults to the remaining amount.",
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
        description="`https://` URL to which the payer returns. Query parameters "
        "`transaction` and `checkout` (`done` or `canceled`) are added. The "
        "transaction has the actual state.",
        examples=["https://shop.example.com/thanks"],
    ),
]
CheckoutUrl = Annotated[
    str,
    Meta(
        description="The page to pay on. Null if there is nothing to pay or no page is open.",
        examples=["https://checkout.stripe.com/c/pay/cs_test_a1"],
    ),
]
CheckoutStatus = Literal["preparing", "open", "processing", "paid", "declined", "expired"]
RefundStatus = Literal["pending", "succeeded", "failed"]


TaxRate = Annotated[Decimal, Meta(description="Per cent.", examples=[25.5])]
NetAmount = Annotated[
    int, Meta(description="The amount without tax, in whole minor units.", examples=[677])
]
TaxAmount = Annotated[
    int, Meta(description="The part of the amount that is tax, in minor units.", examples=[304])
]
Method = Annotated[PaymentMethod, Meta(description="How the money was received.")]
Reference = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="The number of a receipt, transfer or check.",
        examples=["Receipt 2041"],
    ),
]


class ItemOut(msgspec.Struct, kw_only=True):
    """A line of a transaction."""

    kind: ChargeKind
    code: Annotated[str, Meta(examples=["DISTANCE_FEE"])]
    details: Annotated[str, Meta(examples=["9.321 km at 0.80"])]
    amount: Amount
    tax_rate: TaxRate | None
    tax_amount: TaxAmount
    net_amount: NetAmount


class PaymentIn(msgspec.Struct, kw_only=True):
    """Money that was received outside a gateway."""

    amount: PartAmount | None = None
    method: Method
    reference: Reference | None = None
    received_at: Annotated[Moment, Meta(description="Defaults to now.")] | None = None


class RecordedPaymentOut(msgspec.Struct, kw_only=True):
    """A payment that a person recorded."""

    id: Annotated[str, Meta(examples=["payment_7RtYw2KcX9qLm4Zp"])]
    amount: Amount
    method: Method
    reference: Reference | None
    received_at: Time
    recorded_by: ActorOut
    created_at: Time


class RefundOut(ResourceOut, kw_only=True):
    """A refund."""

    id: Annotated[str, Meta(examples=["refund_3KcWq8PzR5tYvB1n"])]
    amount: Amount
    status: Annotated[
        RefundStatus, Meta(description="`pending` until the gateway reports the result.")
    ]
    reason: Reason | None
    error: Annotated[
        str | None,
        Meta(description="Error code, if it failed.", examples=["payment_gateway_refused"]),
    ]

    @classmethod
    def from_row(cls, row: Refund) -> Self:
        return to_schema(row, cls, status="pending" if row.state == "wanted" else row.state)


class DisputeOut(msgspec.Struct, kw_only=True):
    """A payer's dispute of a payment with their bank."""

    id: Annotated[str, Meta(description="The gateway's id.", examples=["dp_1PgafmB7WZ01zgkW6d"])]
    amount: Amount
    currency: Currency
    status: Annotated[
        DisputeState,
        Meta(
            description="`inquiry`: the bank asks, and no money moves. `needs_response`: send "
            "evidence before `due_by`. The amount of a `lost` dispute is owed again."
        ),
    ]
    reason: Annotated[
        str | None, Meta(description="The bank's reason.", examples=["product_not_received"])
    ]
    due_by: Annotated[Time | None, Meta(description="Deadline for evidence.")]
    funds_withdrawn: Annotated[
        bool, Meta(description="Whether the gateway has withdrawn the amount.")
    ]

    @classmethod
    def from_dispute(cls, dispute: GatewayDispute) -> Self:
        return to_schema(dispute, cls, id=dispute.dispute, status=dispute.state)


class UnmatchedPaymentOut(msgspec.Struct, kw_only=True):
    """A payment in another currency than the transaction's. It settles nothing."""

    reference: Annotated[
        str | None, Meta(description="The gateway's id.", examples=["pi_3MtwBwLkdIwHu7ix28a3"])
    ]
    amount: Amount
    currency: Currency
    received_at: Time

    @classmethod
    def from_fact(cls, fact: RecordedFact) -> Self:
        return to_schema(fact, cls, reference=fact.payment, received_at=to_rfc3339(fact.told_at))


class TransactionOut(ResourceOut, kw_only=True):
    """A transaction: the amount owed for an order, and its payments."""

    id: Annotated[str, Meta(examples=["transaction_6QdXr1MtL8zKpW4c"])]
    order: OrderId | None
    service_quote: QuoteId | None
    customer: CustomerId | None
    customer_type: CustomerType | None
    amount: Amount
    currency: Currency
    status: Annotated[Status, Meta(description="Derived from the known payments and refunds.")]
    amount_paid: Annotated[
        int, Meta(description="Total amount paid, without lost disputes.", examples=[1496])
    ]
    amount_refunded: Annotated[int, Meta(description="Total amount refunded.", examples=[0])]
    amount_disputed: Annotated[
        int, Meta(description="Total amount of lost disputes.", examples=[0])
    ]
    balance: Annotated[
        int,
        Meta(
            description="The amount still owed. Below zero, it is a credit. A refund does not "
            "make its amount owed again.",
            examples=[0],
        ),
    ]
    items: Annotated[list[ItemOut], Meta(description="Their sum is the amount.")]
    payments: Annotated[
        list[RecordedPaymentOut], Meta(description="Money that people recorded, outside a gateway.")
    ]
    refunds: list[RefundOut]
    disputes: list[DisputeOut]
    unmatched_payments: Annotated[
        list[UnmatchedPaymentOut],
        Meta(description="Payments in another currency. They settle nothing; refund them there."),
    ]
    gateway: Annotated[
        str | None,
        Meta(description="Null if no gateway takes the payment.", examples=["stripe-test"]),
    ]
    checkout_url: CheckoutUrl | None
    checkout_status: Annotated[
        CheckoutStatus | None,
        Meta(description="Status of the page of the payment, or else of the last page."),
    ]
    checkout_error: Annotated[
        str | None,
        Meta(
            description="Error code of the page, if it could not be opened.",
            examples=["payment_gateway_refused"],
        ),
    ]
    paid_at: Time | None
    voided_at: Time | None
    void_reason: Reason | None

    @classmethod
    def from_row(
        cls,
        row: Transaction,
        names: Mapping[UUID, str],
        *,
        charges: Sequence[Charge],
        payments: Sequence[Payment],
        refunds: Sequence[Refund],
        page: Checkout | None,
        facts: Sequence[RecordedFact],
        now: datetime,
    ) -> Self:
        return to_schema(
            row,
            cls,
            order=None if row.order_uuid is None else names[row.order_uuid],
            customer=None if row.customer is None else names.get(row.customer),
            service_quote=row.quote_id,
            items=[
                to_schema(charge, ItemOut, net_amount=charge.amount - charge.tax_amount)
                for charge in charges
            ],
            payments=[
                to_schema(payment, RecordedPaymentOut, recorded_by=ActorOut.from_row(payment))
                for payment in payments
            ],
            refunds=[RefundOut.from_row(refund) for refund in refunds],
            disputes=[DisputeOut.from_dispute(dispute) for dispute in list_disputes(facts)],
            unmatched_payments=[
                UnmatchedPaymentOut.from_fact(fact) for fact in facts if fact.kind == "paid"
            ],
            checkout_url=page.url if page and find_checkout_status(page, now) == "open" else None,
            checkout_status=find_checkout_status(page, now),
            checkout_error=page and page.error,
        )


def find_checkout_status(page: Checkout | None, now: datetime) -> CheckoutStatus | None:
    """Return the status of a page. A page that is being closed counts as expired."""
    if page is None:
        return None
    if page.state == "wanted":
        return "preparing"
    is_over = page.state == "open" and page.expires_at is not None and page.expires_at <= now
    return "expired" if is_over or page.state == "closing" else page.state


class TransactionFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing transactions."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at")

    status: Annotated[list[Status] | None, Meta(description="Filter by status.")] = None
    order: Annotated[OrderReference | None, Meta(description="Filter by order.")] = None
    customer: Annotated[CustomerId | None, Meta(description="Filter by customer.")] = None
    service_quote: Annotated[QuoteId | None, Meta(description="Filter by quote.")] = None
    balance: Annotated[
        BalanceFilter | None, Meta(description="`owed`: something is due; `credit`: a credit.")
    ] = None
    since: Moment | None = None
    until: Moment | None = None


class VoidIn(msgspec.Struct):
    """The reason to void a transaction."""

    reason: Reason | None = None


class RefundIn(msgspec.Struct):
    """A request for a refund."""

    amount: PartAmount | None = None
    reason: Reason | None = None


class CheckoutIn(msgspec.Struct):
    """Options of a checkout page."""

    return_url: ReturnUrl | None = None
