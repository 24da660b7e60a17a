"""Actors in JSON: the person or program behind a change."""

from typing import Annotated, Protocol, Self

import msgspec
from msgspec import Meta

from pannier.db.actor import Kind


class RowWithActor(Protocol):
    """A row that names its actor."""

    actor_kind: Kind
    actor_id: str
    actor_name: str


class ActorOut(msgspec.Struct, kw_only=True):
    """The person or program behind a change."""

    kind: Annotated[Kind, Meta(description="Kind of actor.", examples=["driver"])]
    id: Annotated[
        str, Meta(description="Public id of the actor.", examples=["driver_4kQ8ZpL0sVxYt2Wn"])
    ]
    name: Annotated[str, Meta(description="Name at that time.", examples=["Ada Lovelace"])]

    @classmethod
    def from_row(cls, row: RowWithActor) -> Self:
        """Make the actor that a row names."""
        return cls(kind=row.actor_kind, id=row.actor_id, name=row.actor_name)
