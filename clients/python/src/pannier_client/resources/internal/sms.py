# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.sms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalSms:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, *, options: Options | None = None) -> types.SmsOverview:
        """Report the SMS codes sent in the last 24 hours, and the paused countries."""
        return self._transport.call("GET", "/int/v1/sms", options=options)


class AsyncInternalSms:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, *, options: Options | None = None) -> types.SmsOverview:
        """Report the SMS codes sent in the last 24 hours, and the paused countries."""
        return await self._transport.call("GET", "/int/v1/sms", options=options)
