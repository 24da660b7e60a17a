"""Fields that all resources have."""

from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.web.times import Time


class ResourceOut(msgspec.Struct, kw_only=True):
    """The ids, times and version of a resource."""

    id: Annotated[str, Meta(description="The same as `public_id`.")]
    uuid: UUID
    public_id: str
    created_at: Time
    updated_at: Time
    version: Annotated[int, Meta(description="Increases with each change.", examples=[1])]
