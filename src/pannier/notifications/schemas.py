"""Notifications in JSON."""

from typing import Annotated, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import PageIn
from pannier.notifications.models import ChannelName, Message, State
from pannier.web.spelling import spelled
from pannier.web.times import Moment, Time


class MessageFilters(PageIn, frozen=True, kw_only=True):
    """Which messages to list."""

    to: Annotated[
        str | None,
        Meta(description="The number, address or device it goes to.", examples=["+6591234567"]),
    ] = None
    channel: Annotated[ChannelName | None, Meta(description="The channel.")] = None
    state: Annotated[State | None, Meta(description="What became of it.")] = None
    order: Annotated[
        str | None,
        Meta(
            description="News of this order, by public id.",
            examples=["order_5uJr2EwZ7bQx9KmT"],
        ),
    ] = None
    since: Moment | None = None
    until: Moment | None = None


class MessageOut(msgspec.Struct):
    """A message, and what became of it."""

    id: Annotated[str, Meta(examples=["message_8cPz3LxW1tRf5NyQ"])]
    uuid: UUID
    public_id: str
    channel: ChannelName
    to: Annotated[str, Meta(examples=["+6591234567"])]
    subject: str
    text: Annotated[
        str,
        Meta(
            description="A secret text, such as a code, is readable in the drawer only.",
            examples=["Your parcel arrives today."],
        ),
    ]
    state: State
    attempts: Annotated[int, Meta(description="How often delivery was tried.")]
    error: Annotated[str | None, Meta(description="Why the latest attempt failed.")]
    created_at: Time
    sent_at: Time | None
    kind: Annotated[
        str | None, Meta(description="What news tell; of others null.", examples=["on_its_way"])
    ]
    order: Annotated[
        str | None,
        Meta(description="The order that news are of.", examples=["order_5uJr2EwZ7bQx9KmT"]),
    ]

    @classmethod
    def of(cls, row: Message) -> Self:
        """Spell a message."""
        return spelled(row, cls, to=row.recipient, text=row.shown, order=row.order_id)
