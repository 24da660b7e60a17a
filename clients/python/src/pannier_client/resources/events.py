# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.events`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class EventsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    event: str | Sequence[str]
    """Only these events: names, groups such as `order.*`, or `*` for all."""
    subject: str
    """Only events about this record, by UUID or public id."""
    order: str
    """Only events of this order, by public id: about the order, its proofs, tracking statuses,
    charges and cash."""
    created_since: str | datetime
    """Only events created at this time or later. Events are created when their request begins."""


class Events:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, event_id: str, /, *, options: Options | None = None) -> types.EventEnvelope:
        """Retrieve an event, in the bytes that webhooks receive."""
        return self._transport.call(
            "GET", fill_path("/v1/events/{event_id}", event_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[EventsListQuery]
    ) -> Pages[types.EventEnvelope]:
        """List events for catching up: oldest first, in the order in which they were committed."""
        return self._transport.list_pages("/v1/events", query=query, options=options)


class AsyncEvents:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, event_id: str, /, *, options: Options | None = None) -> types.EventEnvelope:
        """Retrieve an event, in the bytes that webhooks receive."""
        return await self._transport.call(
            "GET", fill_path("/v1/events/{event_id}", event_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[EventsListQuery]
    ) -> AsyncPages[types.EventEnvelope]:
        """List events for catching up: oldest first, in the order in which they were committed."""
        return self._transport.list_pages("/v1/events", query=query, options=options)
