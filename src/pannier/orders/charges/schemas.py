"""The account of an order in JSON: charges, payments and what is still owed."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Literal, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.kit.money import MAX_AMOUNT
from pannier.kit.wording import MESSAGE, MINOR_UNITS
from pannier.payments.transactions.models import Charge, ChargeKind
from pannier.payments.transactions.schemas import (
    Amount,
    Currency,
    NetAmount,
    Reason,
    TaxAmount,
    TaxRate,
)
from pannier.web.actors import ActorOut
from pannier.web.former_names import former_name
from pannier.web.serialization import to_schema
from pannier.web.times import Time

# Only an accepted quote, a change of the order and its end make the other kinds.
NewKind = Literal[
    "waiting", "redelivery", "return", "surcharge", "discount", "goodwill", "other"
]  # fmt: skip
Description = Annotated[
    str, Meta(min_length=1, max_length=200, examples=["Waited 25 minutes at the dock"])
]
TransactionId = Annotated[str, Meta(examples=["transaction_6QdXr1MtL8zKpW4c"])]


class ChargeIn(msgspec.Struct, kw_only=True):
    """A charge for an order, or with a negative amount a credit."""

    kind: NewKind
    description: Description
    amount: Annotated[
        int,
        Meta(
            ge=-MAX_AMOUNT,
            le=MAX_AMOUNT,
            description="In whole minor units. Negative amounts are credits. Includes tax if the "
            "setting `prices_include_tax` is on.",
            examples=[850],
            extra={MESSAGE: MINOR_UNITS},
        ),
    ]
    tax_rate: (
        Annotated[
            Decimal,
            Meta(description="Per cent. Defaults to the company's rate.", examples=[25.5]),
        ]
        | None
    ) = None
    reason: Reason | None = None


class ChargeOut(msgspec.Struct, kw_only=True):
    """A line of an order's account. Lines never change; a correction is another line."""

    id: Annotated[str, Meta(examples=["charge_2WmQz7KcT4xRb9Lp"])]
    uuid: UUID
    kind: ChargeKind
    code: Annotated[str, Meta(examples=["BASE_FEE"])]
    description: Annotated[str, Meta(examples=["Waited 25 minutes at the dock"])]
    amount: Amount
    tax_rate: TaxRate | None
    tax_amount: TaxAmount
    net_amount: NetAmount
    reason: Reason | None
    transaction: TransactionId
    actor: ActorOut
    created_at: Time

    @classmethod
    def from_row(cls, row: Charge, transaction: str) -> Self:
        return to_schema(
            row,
            cls,
            description=row.details,
            net_amount=row.amount - row.tax_amount,
            transaction=transaction,
            actor=ActorOut.from_row(row),
        )


class OrderChargesOut(msgspec.Struct, kw_only=True):
    """The account of an order. Voided and refunded transactions are left out of the lines."""

    currency: Currency | None
    lines: list[ChargeOut]
    amount: Annotated[int, Meta(description="The sum of the lines.", examples=[1496])]
    total: Annotated[int, former_name("amount")]
    tax_amount: Annotated[int, Meta(description="The tax in the amount.", examples=[304])]
    tax: Annotated[int, former_name("tax_amount")]
    amount_paid: Annotated[
        int, Meta(description="All payments, without those of voided prices.", examples=[1496])
    ]
    paid: Annotated[int, former_name("amount_paid")]
    amount_refunded: Annotated[
        int, Meta(description="All refunds of these payments.", examples=[0])
    ]
    refunded: Annotated[int, former_name("amount_refunded")]
    balance: Annotated[
        int,
        Meta(
            description="The amount still owed. Below zero, it is a credit. A refund does not "
            "make its amount owed again.",
            examples=[0],
        ),
    ]
    priced_distance: Annotated[
        int | None,
        Meta(
            description="The metres that the accepted price is for. The order's own distance may "
            "have changed since, if the company keeps prices.",
            examples=[15230],
        ),
    ]


def sort_key(row: Charge) -> tuple[datetime, UUID]:
    """Sort lines in the sequence in which they were added."""
    return row.created_at, row.uuid
