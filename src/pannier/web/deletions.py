"""The response to a deletion, in the format that existing clients read."""

from typing import Annotated, Self

import msgspec
from msgspec import Meta

from pannier.db import Db
from pannier.web.times import Time, to_rfc3339


class RecordDeleted(msgspec.Struct):
    """A deleted record."""

    id: Annotated[str, Meta(description="Public id of the deleted record.")]
    object: Annotated[str, Meta(description="Kind of record.", examples=["place"])]
    time: Time
    deleted: bool = True

    @classmethod
    def from_id(cls, db: Db, kind: str, public_id: str) -> Self:
        return cls(public_id, kind, to_rfc3339(db.now))
