"""Filters for listing payloads, waypoints and entities."""

from typing import Annotated, ClassVar

from msgspec import Meta

from pannier.db import PageIn
from pannier.partners.schemas import PlaceId
from pannier.payloads.models import State, StopType
from pannier.payloads.schemas import ContactId, InternalId, Kind, PayloadId, Sku, WaypointId


class PayloadFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing payloads."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at")

    type: Kind | None = None
    state: State | None = None


class WaypointFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing waypoints."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at")

    payload: PayloadId | None = None
    type: StopType | None = None
    place: PlaceId | None = None


class EntityFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing entities."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at", "name")

    query: (
        Annotated[
            str, Meta(max_length=200, description="Beginnings of words.", examples=["coffee"])
        ]
        | None
    ) = None
    payload: PayloadId | None = None
    destination: (
        Annotated[WaypointId, Meta(description="Filter by the stop where the item is delivered.")]
        | None
    ) = None
    type: Kind | None = None
    internal_id: InternalId | None = None
    sku: Sku | None = None
    customer: ContactId | None = None
