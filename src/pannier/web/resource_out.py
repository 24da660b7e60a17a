"""Fields that all resources have."""

from typing import Annotated
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.web.former_names import former_name
from pannier.web.times import Time

# The former name of `id`.
PublicId = Annotated[str, former_name("id")]


class ResourceOut(msgspec.Struct, kw_only=True):
    """The ids, times and version of a resource."""

    id: str
    uuid: UUID
    public_id: PublicId
    created_at: Time
    updated_at: Time
    version: Annotated[int, Meta(description="Increases with each change.", examples=[1])]
