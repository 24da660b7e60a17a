"""JSON schemas of amounts, and of cash on delivery."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta

from pannier.kit.money import MAX_AMOUNT
from pannier.kit.wording import MESSAGE, MINOR_UNITS
from pannier.payloads.models import CodMethod
from pannier.web.fields import Clearable

Amount = Annotated[
    int,
    Meta(
        ge=0,
        le=MAX_AMOUNT,
        description="In minor units of the currency.",
        examples=[1250],
        extra={MESSAGE: MINOR_UNITS},
    ),
]
Currency = Annotated[
    str, Meta(min_length=3, max_length=3, description="ISO 4217, three letters.", examples=["SGD"])
]
CodAmount = Annotated[
    Amount, Meta(description="Cash on delivery, in minor units of `cod_currency`.")
]


class CashFields(msgspec.Struct, kw_only=True):
    """Cash on delivery of a payload or an item."""

    cod_amount: Clearable[CodAmount] = UNSET
    cod_currency: Clearable[Currency] = UNSET
    cod_payment_method: Clearable[CodMethod] = UNSET


class CashToCollectOut(msgspec.Struct, kw_only=True):
    """The cash that the driver collects, in minor units."""

    amount: Annotated[int, Meta(examples=[2500])]
    currency: Currency
    method: Annotated[
        CodMethod | None, Meta(description="Null if several methods are named: any will do.")
    ]
    collected: bool


StopCash = Annotated[
    CashToCollectOut | None,
    Meta(
        description="The cash to collect at this stop: its own, that of its items and, at the last "
        "drop-off, that of the whole order."
    ),
]
