# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.driver_messages`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class DriverMessagesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    driver: str
    """Filter by driver."""
    order: str
    """About this order."""
    unread: bool
    """Only messages to the caller's side that nobody has read."""


class DriverMessages:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.DriverMessageIn]
    ) -> types.DriverMessageOut:
        """Send a message to a driver."""
        return self._transport.call("POST", "/v1/driver-messages", body=fields, options=options)

    def create_with_photos(
        self, *, options: Options | None = None, **fields: Unpack[types.PhotoMessageIn]
    ) -> types.DriverMessageOut:
        """Send a message with photos, as JSON or as a form."""
        return self._transport.call(
            "POST", "/v1/driver-messages/with-photos", body=fields, options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[DriverMessagesListQuery]
    ) -> Pages[types.DriverMessageOut]:
        """List messages between dispatch and drivers, newest first."""
        return self._transport.list_pages("/v1/driver-messages", query=query, options=options)

    def read(
        self,
        driver_message_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.MessageReadIn],
    ) -> types.DriverMessageOut:
        """Mark a thread as read, up to this message, by the side that sends the request."""
        return self._transport.call(
            "POST",
            fill_path("/v1/driver-messages/{driver_message_id}/read", driver_message_id),
            body=fields,
            options=options,
        )


class AsyncDriverMessages:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.DriverMessageIn]
    ) -> types.DriverMessageOut:
        """Send a message to a driver."""
        return await self._transport.call(
            "POST", "/v1/driver-messages", body=fields, options=options
        )

    async def create_with_photos(
        self, *, options: Options | None = None, **fields: Unpack[types.PhotoMessageIn]
    ) -> types.DriverMessageOut:
        """Send a message with photos, as JSON or as a form."""
        return await self._transport.call(
            "POST", "/v1/driver-messages/with-photos", body=fields, options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[DriverMessagesListQuery]
    ) -> AsyncPages[types.DriverMessageOut]:
        """List messages between dispatch and drivers, newest first."""
        return self._transport.list_pages("/v1/driver-messages", query=query, options=options)

    async def read(
        self,
        driver_message_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.MessageReadIn],
    ) -> types.DriverMessageOut:
        """Mark a thread as read, up to this message, by the side that sends the request."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/driver-messages/{driver_message_id}/read", driver_message_id),
            body=fields,
            options=options,
        )
