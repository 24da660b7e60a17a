"""Actors in JSON: who did what a row tells of."""

from typing import Annotated, Protocol, Self

import msgspec
from msgspec import Meta

from pannier.db.actor import Kind


class Acted(Protocol):
    """A row that names its actor."""

    actor_kind: Kind
    actor_id: str
    actor_name: str


class ActorOut(msgspec.Struct, kw_only=True):
    """Who did something."""

    kind: Annotated[Kind, Meta(description="What they are.", examples=["driver"])]
    id: Annotated[
        str, Meta(description="Theirs, by public id.", examples=["driver_4kQ8ZpL0sVxYt2Wn"])
    ]
    name: Annotated[str, Meta(description="As it was then.", examples=["Ada Lovelace"])]

    @classmethod
    def of(cls, row: Acted) -> Self:
        """Spell who is behind a row."""
        return cls(kind=row.actor_kind, id=row.actor_id, name=row.actor_name)
