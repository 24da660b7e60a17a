"""Event data of payloads. Each event is a snapshot of its subject."""

from collections.abc import Mapping
from typing import Annotated, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.events.catalog import Name
from pannier.payloads.models import SubjectType, TrackingNumber
from pannier.payloads.schemas import Number, OrderId
from pannier.web.former_names import same_as
from pannier.web.serialization import to_schema
from pannier.web.times import Time

NumberId = Annotated[str, Meta(examples=["track_2sKd7WqZ9xLm4RtB"])]


class TrackingNumberCreated(msgspec.Struct, kw_only=True):
    """An order, a stop or an item received its tracking number.

    Emitted by `POST /v1/orders`, and by every request that adds a stop or an item to an order, such
    as `PUT /v1/orders/{order_id}` and `POST /v1/entities`.
    """

    id: Annotated[NumberId, Meta(description="The tracking number's own public id.")]
    public_id: Annotated[NumberId, Meta(description="The same as `id`.")]
    uuid: Annotated[UUID, Meta(description="The UUID.")]
    tracking_number: Annotated[Number, Meta(description="The number, formatted for people.")]
    tracking: Annotated[Number, same_as("tracking_number")]
    order: Annotated[OrderId, Meta(description="The order, by public id.")]
    subject_type: Annotated[SubjectType, Meta(description="The type of the subject.")]
    subject: Annotated[
        str,
        Meta(
            description="The subject of the number, by public id.",
            examples=["order_5uJr2EwZ7bQx9KmT"],
        ),
    ]
    region: Annotated[str | None, Meta(description="The country of the number.", examples=["SG"])]
    created_at: Annotated[Time, Meta(description="Time of creation.")]

    @classmethod
    def from_row(cls, row: TrackingNumber, order: str, subject: str) -> Self:
        """Build the event data, with the public ids of the order and the subject."""
        return to_schema(row, cls, tracking_number=row.number, order=order, subject=subject)


SCHEMAS: Final[Mapping[Name, type[msgspec.Struct]]] = {
    Name.TRACKING_NUMBER_CREATED: TrackingNumberCreated,
}
