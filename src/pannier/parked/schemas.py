"""Parked work in JSON."""

from typing import Annotated, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.parked.models import Parked
from pannier.web.times import Time, stamp


class ParkedOut(msgspec.Struct):
    """A piece of background work that failed, and when it is tried again."""

    id: Annotated[str, Meta(examples=["parked_3vNq8KzB1xTc6LwY"])]
    uuid: UUID
    public_id: str
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
    created_at: Time
    updated_at: Time

    @classmethod
    def of(cls, row: Parked) -> Self:
        """Spell a piece of parked work."""
        return cls(
            row.public_id, row.uuid, row.public_id, row.step, row.subject, row.error,
            row.attempts, stamp(row.retry_at), stamp(row.created_at), stamp(row.updated_at),
        )  # fmt: skip
