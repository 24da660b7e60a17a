# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.parked`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalParkedListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""


class InternalParked:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def delete(self, parked_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete a parked job, so that it is not retried."""
        return self._transport.call(
            "DELETE", fill_path("/int/v1/parked/{parked_id}", parked_id), options=options
        )

    def get(self, parked_id: str, /, *, options: Options | None = None) -> types.ParkedOut:
        """Retrieve a parked job: background work that kept failing."""
        return self._transport.call(
            "GET", fill_path("/int/v1/parked/{parked_id}", parked_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalParkedListQuery]
    ) -> Pages[types.ParkedOut]:
        """List parked jobs: background work that kept failing."""
        return self._transport.list_pages("/int/v1/parked", query=query, options=options)

    def retry(self, parked_id: str, /, *, options: Options | None = None) -> types.ParkedOut:
        """Retry a parked job now."""
        return self._transport.call(
            "POST", fill_path("/int/v1/parked/{parked_id}/retry", parked_id), options=options
        )


class AsyncInternalParked:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def delete(
        self, parked_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a parked job, so that it is not retried."""
        return await self._transport.call(
            "DELETE", fill_path("/int/v1/parked/{parked_id}", parked_id), options=options
        )

    async def get(self, parked_id: str, /, *, options: Options | None = None) -> types.ParkedOut:
        """Retrieve a parked job: background work that kept failing."""
        return await self._transport.call(
            "GET", fill_path("/int/v1/parked/{parked_id}", parked_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalParkedListQuery]
    ) -> AsyncPages[types.ParkedOut]:
        """List parked jobs: background work that kept failing."""
        return self._transport.list_pages("/int/v1/parked", query=query, options=options)

    async def retry(self, parked_id: str, /, *, options: Options | None = None) -> types.ParkedOut:
        """Retry a parked job now."""
        return await self._transport.call(
            "POST", fill_path("/int/v1/parked/{parked_id}/retry", parked_id), options=options
        )
