"""Sample data in JSON."""

from typing import Annotated, Self

import msgspec
from msgspec import Meta

from pannier.imports.models import ImportResource
from pannier.samples.models import SampleRecord
from pannier.web.serialization import to_schema


class SampleRecordOut(msgspec.Struct, kw_only=True):
    """A record of the sample data."""

    record: Annotated[str, Meta(description="Its public id.", examples=["order_5uJr2EwZ7bQx9KmT"])]
    resource: ImportResource
    reason: Annotated[
        str | None,
        Meta(
            description="Why it was not removed; null before that.",
            examples=["The order was already dispatched."],
        ),
    ]

    @classmethod
    def from_row(cls, row: SampleRecord) -> Self:
        return to_schema(row, cls)


class SampleDataOut(msgspec.Struct, kw_only=True):
    """The sample data of the company."""

    records: list[SampleRecordOut]
    removed: Annotated[int, Meta(description="The number of records removed now.", examples=[0])]

    @classmethod
    def from_rows(cls, rows: list[SampleRecord], removed: int = 0) -> Self:
        return cls(records=[SampleRecordOut.from_row(row) for row in rows], removed=removed)
