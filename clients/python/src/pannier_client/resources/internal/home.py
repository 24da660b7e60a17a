# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.home`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalHome:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, *, options: Options | None = None) -> types.Home:
        """Retrieve today's figures, and the counts of what needs a decision."""
        return self._transport.call("GET", "/int/v1/home", options=options)


class AsyncInternalHome:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, *, options: Options | None = None) -> types.Home:
        """Retrieve today's figures, and the counts of what needs a decision."""
        return await self._transport.call("GET", "/int/v1/home", options=options)
