# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.test_messages`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalTestMessages:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.TestMessageIn]
    ) -> types.MessageOut:
        """Send a test message by SMS or email."""
        return self._transport.call("POST", "/int/v1/test-messages", body=fields, options=options)


class AsyncInternalTestMessages:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.TestMessageIn]
    ) -> types.MessageOut:
        """Send a test message by SMS or email."""
        return await self._transport.call(
            "POST", "/int/v1/test-messages", body=fields, options=options
        )
