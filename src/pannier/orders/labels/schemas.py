"""JSON and query parameters of labels."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from pannier.orders.labels.sizes import LABELS_PER_SHEET, LabelSize
from pannier.web.identifiers import OrderReference

# In a PDF, a label takes up to 20 ms of CPU time, and a letter that others lack one more.
MAX_LABELS: Final = 100
MAX_PDF_LABELS: Final = 50
MAX_DIFFERENT_LETTERS: Final = 2000
PrintFormat = Literal["pdf", "zpl"]
LabelFormat = Literal["pdf", "zpl", "png"]

Size = Annotated[
    LabelSize,
    Meta(
        description="`a6` (105 x 148 mm), `4x6` (inches), or `a4`: four labels on a sheet. ZPL has "
        "no sheets."
    ),
]
Start = Annotated[
    int,
    Meta(
        ge=1,
        le=LABELS_PER_SHEET,
        description="The position of the first label on an `a4` sheet, from left to right. Earlier "
        "positions stay blank, so that a used sheet can be printed again.",
        examples=[1],
    ),
]


class LabelFilters(msgspec.Struct, frozen=True, kw_only=True):
    """The form of a label."""

    format: Annotated[
        LabelFormat, Meta(description="`zpl` is for label printers with 203 dpi.")
    ] = "pdf"
    size: Size = "a6"
    start: Start = 1


class LabelsIn(msgspec.Struct, kw_only=True):
    """Orders whose labels to print, in this order."""

    orders: Annotated[
        list[OrderReference],
        Meta(
            min_length=1,
            max_length=MAX_LABELS,
            description=f"Up to {MAX_LABELS} for ZPL and {MAX_PDF_LABELS} for a PDF.",
            examples=[["order_5uJr2EwZ7bQx9KmT"]],
        ),
    ]
    format: Annotated[
        PrintFormat, Meta(description="`zpl` is for label printers with 203 dpi.")
    ] = "pdf"
    size: Size = "a6"
    start: Start = 1
