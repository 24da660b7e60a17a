# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.messages`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalMessagesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    to: str
    """Phone number, email address or device."""
    channel: types.MessageChannel
    """The channel."""
    state: Literal["drawer", "due", "failed", "sent"]
    """Only messages in this state."""
    order: str
    """Only news of this order, by public id."""
    since: str | datetime
    """RFC 3339, between the years 1970 and 2100."""
    until: str | datetime
    """RFC 3339, between the years 1970 and 2100."""


class InternalMessages:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, message_id: str, /, *, options: Options | None = None) -> types.MessageOut:
        """Retrieve a message and its delivery state."""
        return self._transport.call(
            "GET", fill_path("/int/v1/messages/{message_id}", message_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalMessagesListQuery]
    ) -> Pages[types.MessageOut]:
        """List messages, newest first, including those of channels without a provider."""
        return self._transport.list_pages("/int/v1/messages", query=query, options=options)


class AsyncInternalMessages:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, message_id: str, /, *, options: Options | None = None) -> types.MessageOut:
        """Retrieve a message and its delivery state."""
        return await self._transport.call(
            "GET", fill_path("/int/v1/messages/{message_id}", message_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalMessagesListQuery]
    ) -> AsyncPages[types.MessageOut]:
        """List messages, newest first, including those of channels without a provider."""
        return self._transport.list_pages("/int/v1/messages", query=query, options=options)
