# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.sample_data`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalSampleData:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, *, options: Options | None = None) -> types.SampleDataOut:
        """Add sample data to a company without orders and webhooks."""
        return self._transport.call("POST", "/int/v1/sample-data", options=options)

    def delete(self, *, options: Options | None = None) -> types.SampleDataOut:
        """Remove the sample data, except records that were changed or are in use."""
        return self._transport.call("DELETE", "/int/v1/sample-data", options=options)

    def get(self, *, options: Options | None = None) -> types.SampleDataOut:
        """List the sample data that was not removed."""
        return self._transport.call("GET", "/int/v1/sample-data", options=options)


class AsyncInternalSampleData:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(self, *, options: Options | None = None) -> types.SampleDataOut:
        """Add sample data to a company without orders and webhooks."""
        return await self._transport.call("POST", "/int/v1/sample-data", options=options)

    async def delete(self, *, options: Options | None = None) -> types.SampleDataOut:
        """Remove the sample data, except records that were changed or are in use."""
        return await self._transport.call("DELETE", "/int/v1/sample-data", options=options)

    async def get(self, *, options: Options | None = None) -> types.SampleDataOut:
        """List the sample data that was not removed."""
        return await self._transport.call("GET", "/int/v1/sample-data", options=options)
