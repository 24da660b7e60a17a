# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.cash.collections`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class CashCollectionsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    order: str
    """An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`."""
    driver: str
    """Filter by driver."""
    customer: str
    """A contact or vendor, by its identifier."""
    currency: str
    """ISO 4217, three letters."""
    handed_in: bool
    """Whether the driver no longer has the cash."""
    remitted: bool
    """Filter by whether `remitted` is true."""
    has_difference: bool
    """Only collections of another amount than the cash due."""
    since: str | datetime
    """Recorded at or after this moment."""
    until: str | datetime
    """Recorded before this moment."""


class CashCollections:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self, cash_collection_id: str, /, *, options: Options | None = None
    ) -> types.CashCollectionOut:
        """Retrieve a cash collection."""
        return self._transport.call(
            "GET",
            fill_path("/v1/cash/collections/{cash_collection_id}", cash_collection_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[CashCollectionsListQuery]
    ) -> Pages[types.CashCollectionOut]:
        """List cash/collections."""
        return self._transport.list_pages("/v1/cash/collections", query=query, options=options)


class AsyncCashCollections:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self, cash_collection_id: str, /, *, options: Options | None = None
    ) -> types.CashCollectionOut:
        """Retrieve a cash collection."""
        return await self._transport.call(
            "GET",
            fill_path("/v1/cash/collections/{cash_collection_id}", cash_collection_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[CashCollectionsListQuery]
    ) -> AsyncPages[types.CashCollectionOut]:
        """List cash/collections."""
        return self._transport.list_pages("/v1/cash/collections", query=query, options=options)
