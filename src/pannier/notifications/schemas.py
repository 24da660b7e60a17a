"""Messages in JSON."""

from typing import Annotated, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import CreatedPageIn
from pannier.notifications.models import ChannelName, MessageRow, MessageState
from pannier.web.resource_out import PublicId
from pannier.web.serialization import to_schema
from pannier.web.times import Moment, Time


class MessageFilters(CreatedPageIn, frozen=True, kw_only=True):
    """Filters of the message list."""

    to: Annotated[
        str | None,
        Meta(description="Phone number, email address or device.", examples=["+6591234567"]),
    ] = None
    channel: Annotated[ChannelName | None, Meta(description="The channel.")] = None
    state: Annotated[MessageState | None, Meta(description="Only messages in this state.")] = None
    order: Annotated[
        str | None,
        Meta(
            description="Only news of this order, by public id.",
            examples=["order_5uJr2EwZ7bQx9KmT"],
        ),
    ] = None
    since: Moment | None = None
    until: Moment | None = None


class MessageOut(msgspec.Struct):
    """A message and its delivery state."""

    id: Annotated[str, Meta(examples=["message_8cPz3LxW1tRf5NyQ"])]
    uuid: UUID
    public_id: PublicId
    channel: ChannelName
    to: Annotated[str, Meta(examples=["+6591234567"])]
    subject: str
    text: Annotated[
        str,
        Meta(
            description="A secret text, such as a code, can be read only in the state `drawer`.",
            examples=["Your parcel arrives today."],
        ),
    ]
    state: MessageState
    attempts: Annotated[int, Meta(description="Delivery attempts so far.")]
    error: Annotated[str | None, Meta(description="Error of the latest attempt.")]
    created_at: Time
    sent_at: Time | None
    kind: Annotated[
        str | None,
        Meta(description="Kind of news; null for other messages.", examples=["on_its_way"]),
    ]
    order: Annotated[
        str | None,
        Meta(description="Order that the news is about.", examples=["order_5uJr2EwZ7bQx9KmT"]),
    ]

    @classmethod
    def from_row(cls, row: MessageRow) -> Self:
        return to_schema(row, cls, to=row.recipient, text=row.visible_text, order=row.order_id)
