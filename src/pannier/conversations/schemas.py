"""JSON schemas of conversations."""

from typing import Annotated, Literal, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.conversations.models import DriverMessage, Side
from pannier.db import CreatedPageIn
from pannier.fleet.schemas import DriverId, Occurred
from pannier.orders.captures.schemas import Picture
from pannier.orders.issue_photos.schemas import Link, Photos
from pannier.web.actors import ActorOut
from pannier.web.identifiers import OrderId, OrderReference
from pannier.web.serialization import to_schema
from pannier.web.times import Time, to_rfc3339

Thread = Literal["driver", "order"]
MessageId = Annotated[str, Meta(examples=["drivermessage_7Hd2KmP9xQw4ZtBv"])]
MessageText = Annotated[
    str, Meta(min_length=1, max_length=2000, examples=["The gate is closed. Which code opens it?"])
]


class DriverMessageIn(msgspec.Struct, kw_only=True):
    """A new message. From drivers it goes to dispatch, otherwise to the driver."""

    text: MessageText
    driver: Annotated[
        DriverId | None,
        Meta(description="The recipient. Defaults to the order's driver. Not for drivers."),
    ] = None
    order: Annotated[OrderReference | None, Meta(description="The order that it is about.")] = None
    message_uuid: Annotated[
        UUID | None,
        Meta(
            description="Chosen by the sender. A repeated request gets the same answer; another "
            "text, recipient or photo is a conflict."
        ),
    ] = None
    sent_at: Occurred | None = None


class PhotoMessageIn(DriverMessageIn, kw_only=True):
    """A new message with photos. Forms use the same fields."""

    text: Annotated[str, Meta(max_length=2000, examples=["The gate."])] = ""
    photo: Picture | None = None
    photos: Photos = msgspec.field(default_factory=list)


class MessagePhotoOut(msgspec.Struct):
    """A photo of a message."""

    url: Link
    thumbnail_url: Link


class DriverMessageOut(msgspec.Struct, kw_only=True):
    """A message between dispatch and a driver."""

    id: MessageId
    uuid: UUID
    driver: DriverId
    order: Annotated[OrderId | None, Meta(description="The order that it is about.")]
    sender: Side
    actor: ActorOut
    text: Annotated[str, Meta(description="Empty if there are only photos.", examples=["Gate 3."])]
    photos: list[MessagePhotoOut]
    sent_at: Annotated[Time, Meta(description="When it was written, perhaps without reception.")]
    created_at: Annotated[Time, Meta(description="When it arrived. Lists are sorted by it.")]
    read_at: Annotated[Time | None, Meta(description="When the other side read it.")]

    @classmethod
    def from_row(cls, row: DriverMessage, driver_id: str, photos: list[MessagePhotoOut]) -> Self:
        return to_schema(
            row,
            cls,
            photos=photos,
            driver=driver_id,
            order=row.order_id,
            actor=ActorOut.from_row(row),
            text=row.body,
            sent_at=to_rfc3339(row.sent_at),
        )


class MessageReadIn(msgspec.Struct, kw_only=True):
    """The thread that was read."""

    thread: Annotated[
        Thread, Meta(description="The driver's whole thread, or only the message's order.")
    ] = "driver"


class DriverMessageFilters(CreatedPageIn, frozen=True, kw_only=True):
    """Filters for listing messages between dispatch and drivers."""

    driver: DriverId | None = None
    order: Annotated[OrderReference | None, Meta(description="About this order.")] = None
    unread: Annotated[
        bool | None, Meta(description="Only messages to the caller's side that nobody has read.")
    ] = None
