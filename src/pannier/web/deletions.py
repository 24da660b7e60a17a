"""What a delete answers, as existing clients read it."""

from typing import Annotated, Self

import msgspec
from msgspec import Meta

from pannier.db import Db
from pannier.web.times import Time, stamp


class Deleted(msgspec.Struct):
    """Something is gone."""

    id: Annotated[str, Meta(description="The public id of what is gone.")]
    object: Annotated[str, Meta(description="What kind of thing it was.", examples=["place"])]
    time: Time
    deleted: bool = True

    @classmethod
    def of(cls, db: Db, kind: str, public_id: str) -> Self:
        """Tell that something is gone as of now."""
        return cls(public_id, kind, stamp(db.now))
