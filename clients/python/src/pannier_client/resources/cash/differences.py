# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.cash.differences`."""

from __future__ import annotations

import builtins
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class CashDifferencesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    driver: str
    """Filter by driver."""
    since: str | datetime
    """Recorded at or after this moment."""
    until: str | datetime
    """Recorded before this moment."""


class CashDifferences:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self, *, options: Options | None = None, **query: Unpack[CashDifferencesListQuery]
    ) -> builtins.list[types.DifferenceOut]:
        """Total the differences between counted and expected cash per driver and currency."""
        return self._transport.call("GET", "/v1/cash/differences", query=query, options=options)


class AsyncCashDifferences:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(
        self, *, options: Options | None = None, **query: Unpack[CashDifferencesListQuery]
    ) -> builtins.list[types.DifferenceOut]:
        """Total the differences between counted and expected cash per driver and currency."""
        return await self._transport.call(
            "GET", "/v1/cash/differences", query=query, options=options
        )
