"""Tax rates in JSON."""

from decimal import Decimal
from typing import Annotated

from msgspec import Meta

TaxRate = Annotated[
    Decimal,
    Meta(
        description="Tax in per cent, with at most four decimals. Defaults to the company's, "
        "and a rate's to its service area's.",
        examples=[19],
    ),
]
