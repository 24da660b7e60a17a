"""Costs of drivers and vehicles, in minor units of a currency."""

from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings import rules
from pannier.db import Db
from pannier.errors import FieldError, Invalid, parse_field
from pannier.kit.wording import MESSAGE, MINOR_UNITS

MAX_COST = 1_000_000_000
CURRENCY_REQUIRED = "This field is required with a cost, because the company has no currency."
Cost = Annotated[
    int,
    Meta(
        ge=0,
        le=MAX_COST,
        description="In minor units of `currency`. Plans compare routes by it.",
        examples=[2400],
        extra={MESSAGE: MINOR_UNITS},
    ),
]
CostCurrency = Annotated[
    str,
    Meta(
        min_length=3,
        max_length=3,
        description="The cost's currency, ISO 4217. Defaults to the company's.",
        examples=["SGD"],
    ),
]


async def resolve_currency(
    db: Db,
    company: UUID,
    columns: dict[str, Any],
    cost_column: str,
    row: msgspec.Struct | None = None,
) -> dict[str, Any]:
    """Add the company's currency to a cost without one."""
    if columns.get("currency") is not None:
        columns["currency"] = parse_field("currency", rules.parse_currency, columns["currency"])
    values = {
        column: columns[column] if column in columns else getattr(row, column, None)
        for column in (cost_column, "currency")
    }
    if values[cost_column] is None or values["currency"] is not None:
        return columns
    company_currency = (await company_settings.load(db, company)).currency
    if company_currency is None:
        raise Invalid(fields=[FieldError("currency", CURRENCY_REQUIRED)])
    return {**columns, "currency": company_currency}
