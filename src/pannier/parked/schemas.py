"""Parked work in JSON."""

from typing import Annotated, Self

from msgspec import Meta

from pannier.parked.models import ParkedWork
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema
from pannier.web.times import Time


class ParkedOut(ResourceOut):
    """A piece of background work that failed, and when it is retried."""

    step: Annotated[str, Meta(description="The step that failed.", examples=["scheduled orders"])]
    subject: Annotated[
        str,
        Meta(
            description="Public id of the order or event that it is about.",
            examples=["order_7kQm2XbR9fVd4HsA"],
        ),
    ]
    error: Annotated[str, Meta(description="Error of the latest attempt.")]
    attempts: Annotated[int, Meta(description="Attempts so far.")]
    retry_at: Annotated[
        Time | None, Meta(description="Time of the next automatic retry; null if there is none.")
    ]

    @classmethod
    def from_row(cls, row: ParkedWork) -> Self:
        return to_schema(row, cls)
