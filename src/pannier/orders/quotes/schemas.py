"""JSON schemas of quotes."""

from datetime import datetime
from typing import Annotated, ClassVar, Literal, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.accounts.company_settings.schemas import Currency
from pannier.db import PageIn
from pannier.orders.quotes.models import ServiceQuote, State
from pannier.payments.transactions.schemas import CustomerId, ReturnUrl
from pannier.rates.quotes.schemas import (
    Amount,
    IsFirm,
    LineOut,
    NetAmount,
    TaxAmount,
    TaxedBy,
    to_decimal_text,
)
from pannier.rates.schemas import ServiceName, ServiceType
from pannier.routing.route import Source
from pannier.web.former_names import same_as
from pannier.web.identifiers import OrderId, OrderReference, identifier
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema
from pannier.web.times import Time

# A signed identifier contains the whole quote.
QuoteName = Annotated[
    str,
    identifier(
        "quote_9XcVb2NmQ4wErT7y",
        "The identifier of an order's quote, or a signed quote.",
        min_length=1,
        max_length=2000,
    ),
]
QuoteStatus = Literal["open", "accepted", "replaced", "expired"]


class OrderQuoteOut(ResourceOut, kw_only=True):
    """A quote of an order, or an accepted quote."""

    id: Annotated[str, Meta(examples=["quote_9XcVb2NmQ4wErT7y"])]
    order: OrderId | None
    status: Annotated[
        QuoteStatus,
        Meta(description="`replaced` by newer ones; `expired` as soon as `expired_at` has passed."),
    ]
    service_rate_uuid: UUID
    service_rate: Annotated[str, Meta(examples=["service_2KfR8yLq0VbN6wTd"])]
    service_rate_version: Annotated[int, Meta(examples=[1])]
    service_rate_name: ServiceName
    service_name: ServiceName
    service_type: ServiceType
    amount: Amount
    currency: Currency
    amount_decimal: Annotated[str, Meta(description="In major units.", examples=["14.96"])]
    tax_rate: TaxedBy | None
    tax_amount: TaxAmount
    net_amount: NetAmount
    items: list[LineOut]
    distance: Annotated[int, Meta(description="Metres.", examples=[9321])]
    time: Annotated[int, Meta(description="Seconds.", examples=[1260])]
    source: Annotated[Source, Meta(description="Source of the distance.")]
    firm: IsFirm
    expired_at: Time
    expires_at: Annotated[Time, same_as("expired_at")]
    accepted_at: Time | None
    transaction: Annotated[str | None, Meta(examples=["transaction_6QdXr1MtL8zKpW4c"])]

    @classmethod
    def from_row(cls, row: ServiceQuote, now: datetime) -> Self:
        """Build the output of a quote with its current status."""
        is_expired = row.state == "open" and row.expired_at <= now
        return to_schema(
            row,
            cls,
            order=row.order_id,
            status="expired" if is_expired else row.state,
            service_rate_uuid=row.service_rate,
            service_rate=row.service_rate_id,
            service_rate_name=row.service_name,
            amount_decimal=to_decimal_text(row.amount, row.currency),
            net_amount=row.amount - row.tax_amount,
            items=[
                LineOut(line.code, line.details, line.amount, row.currency) for line in row.items
            ],
            source=row.route_source,
        )


class QuoteRowFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing quotes of orders."""

    state: Annotated[
        State | None, Meta(description="Filter by stored state; see also `status`.")
    ] = None


class AcceptIn(msgspec.Struct, kw_only=True):
    """The order and the payer of an accepted quote."""

    example: ClassVar = {"return_url": "https://shop.example.com/thanks"}

    order: (
        Annotated[
            OrderReference, Meta(description="The order. Not needed for a quote of an order.")
        ]
        | None
    ) = None
    customer: (
        Annotated[CustomerId, Meta(description="The payer. Defaults to the order's customer.")]
        | None
    ) = None
    return_url: ReturnUrl | None = None
