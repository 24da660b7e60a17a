# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.organizations`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class Organizations:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_current(self, *, options: Options | None = None) -> types.CompanyOut:
        """Retrieve the company that the key belongs to."""
        return self._transport.call("GET", "/v1/organizations/current", options=options)


class AsyncOrganizations:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get_current(self, *, options: Options | None = None) -> types.CompanyOut:
        """Retrieve the company that the key belongs to."""
        return await self._transport.call("GET", "/v1/organizations/current", options=options)
