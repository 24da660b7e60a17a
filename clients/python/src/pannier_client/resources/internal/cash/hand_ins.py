# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.cash.hand_ins`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalCashHandInsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    driver: str
    """Filter by driver."""
    currency: str
    """ISO 4217, three letters."""
    has_difference: bool
    """Only hand-ins whose count differs from what was expected."""
    since: str | datetime
    """RFC 3339, between the years 1970 and 2100."""
    until: str | datetime
    """RFC 3339, between the years 1970 and 2100."""


class InternalCashHandIns:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, cash_hand_in_id: str, /, *, options: Options | None = None) -> types.HandInOut:
        """Retrieve a cash hand in."""
        return self._transport.call(
            "GET",
            fill_path("/int/v1/cash/hand-ins/{cash_hand_in_id}", cash_hand_in_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalCashHandInsListQuery]
    ) -> Pages[types.HandInOut]:
        """List cash/hand ins."""
        return self._transport.list_pages("/int/v1/cash/hand-ins", query=query, options=options)


class AsyncInternalCashHandIns:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self, cash_hand_in_id: str, /, *, options: Options | None = None
    ) -> types.HandInOut:
        """Retrieve a cash hand in."""
        return await self._transport.call(
            "GET",
            fill_path("/int/v1/cash/hand-ins/{cash_hand_in_id}", cash_hand_in_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalCashHandInsListQuery]
    ) -> AsyncPages[types.HandInOut]:
        """List cash/hand ins."""
        return self._transport.list_pages("/int/v1/cash/hand-ins", query=query, options=options)
