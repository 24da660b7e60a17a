# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.event_catalog`."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalEventCatalog:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, options: Options | None = None) -> builtins.list[types.EntryOut]:
        """List all event types with the JSON Schema of their data."""
        return self._transport.call("GET", "/int/v1/event-catalog", options=options)


class AsyncInternalEventCatalog:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, *, options: Options | None = None) -> builtins.list[types.EntryOut]:
        """List all event types with the JSON Schema of their data."""
        return await self._transport.call("GET", "/int/v1/event-catalog", options=options)
