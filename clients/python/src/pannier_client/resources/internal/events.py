# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.events`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalEventsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    event: types.Name | Sequence[types.Name]
    """Filter by event name."""
    subject: str
    """Only events about this record, by UUID or public id."""
    since: str | datetime
    """RFC 3339, between the years 1970 and 2100."""
    until: str | datetime
    """RFC 3339, between the years 1970 and 2100."""


class InternalEvents:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, event_id: str, /, *, options: Options | None = None) -> types.EventOut:
        """Retrieve an event."""
        return self._transport.call(
            "GET", fill_path("/int/v1/events/{event_id}", event_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalEventsListQuery]
    ) -> Pages[types.EventOut]:
        """List events, newest first."""
        return self._transport.list_pages("/int/v1/events", query=query, options=options)


class AsyncInternalEvents:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, event_id: str, /, *, options: Options | None = None) -> types.EventOut:
        """Retrieve an event."""
        return await self._transport.call(
            "GET", fill_path("/int/v1/events/{event_id}", event_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalEventsListQuery]
    ) -> AsyncPages[types.EventOut]:
        """List events, newest first."""
        return self._transport.list_pages("/int/v1/events", query=query, options=options)
