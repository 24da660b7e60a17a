# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.cash.differences`."""

from __future__ import annotations

import builtins
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalCashDifferencesExportQuery(TypedDict, total=False):
    """Parameters of `export`."""

    driver: str
    """Filter by driver."""
    since: str | datetime
    """Recorded at or after this moment."""
    until: str | datetime
    """Recorded before this moment."""
    format: Literal["csv"]
    """Format of the file."""


class InternalCashDifferencesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    driver: str
    """Filter by driver."""
    since: str | datetime
    """Recorded at or after this moment."""
    until: str | datetime
    """Recorded before this moment."""


class InternalCashDifferences:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def export(
        self, *, options: Options | None = None, **query: Unpack[InternalCashDifferencesExportQuery]
    ) -> bytes:
        """Download all differences as CSV: of collections, then of hand-ins, oldest first."""
        return self._transport.download(
            "/int/v1/cash/differences/export", query=query, options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalCashDifferencesListQuery]
    ) -> builtins.list[types.DifferenceOut]:
        """Total the differences between counted and expected cash per driver and currency."""
        return self._transport.call("GET", "/int/v1/cash/differences", query=query, options=options)


class AsyncInternalCashDifferences:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def export(
        self, *, options: Options | None = None, **query: Unpack[InternalCashDifferencesExportQuery]
    ) -> bytes:
        """Download all differences as CSV: of collections, then of hand-ins, oldest first."""
        return await self._transport.download(
            "/int/v1/cash/differences/export", query=query, options=options
        )

    async def list(
        self, *, options: Options | None = None, **query: Unpack[InternalCashDifferencesListQuery]
    ) -> builtins.list[types.DifferenceOut]:
        """Total the differences between counted and expected cash per driver and currency."""
        return await self._transport.call(
            "GET", "/int/v1/cash/differences", query=query, options=options
        )
