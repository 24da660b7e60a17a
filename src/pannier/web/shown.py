"""What every resource shows of itself."""

from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.web.times import Time


class Shown(msgspec.Struct, kw_only=True):
    """What a resource goes by, when it was made and how often changed."""

    id: Annotated[str, Meta(description="The same as `public_id`.")]
    uuid: UUID
    public_id: str
    created_at: Time
    updated_at: Time
    version: Annotated[int, Meta(description="Grows with each change.", examples=[1])]
