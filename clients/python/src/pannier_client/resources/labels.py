# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.labels`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class Labels:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def print(self, *, options: Options | None = None, **fields: Unpack[types.LabelsIn]) -> bytes:
        """Download the shipping labels of several orders as one document, in the given order."""
        return self._transport.download("/v1/labels", body=fields, options=options)


class AsyncLabels:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def print(
        self, *, options: Options | None = None, **fields: Unpack[types.LabelsIn]
    ) -> bytes:
        """Download the shipping labels of several orders as one document, in the given order."""
        return await self._transport.download("/v1/labels", body=fields, options=options)
