"""Parked work in JSON."""

from typing import Annotated, Self

from msgspec import Meta

from pannier.parked.models import Parked
from pannier.web.shown import Shown
from pannier.web.spelling import spelled
from pannier.web.times import Time


class ParkedOut(Shown):
    """A piece of background work that failed, and when it is retried."""

    step: Annotated[str, Meta(description="What failed at it.", examples=["scheduled orders"])]
    subject: Annotated[
        str,
        Meta(
            description="The order, or the event, that it was about.",
            examples=["order_7kQm2XbR9fVd4HsA"],
        ),
    ]
    error: Annotated[str, Meta(description="How the latest attempt failed.")]
    attempts: Annotated[int, Meta(description="How often it was tried.")]
    retry_at: Annotated[
        Time | None, Meta(description="When it is tried again; null: when somebody says so.")
    ]

    @classmethod
    def of(cls, row: Parked) -> Self:
        """Convert a row to JSON fields."""
        return spelled(row, cls)
