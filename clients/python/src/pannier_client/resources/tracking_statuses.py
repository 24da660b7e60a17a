# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.tracking_statuses`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class TrackingStatusesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    query: str
    """Search text, matched against the beginnings of words in names and numbers."""
    order: str
    """An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`."""
    tracking: str
    """A tracking number, or its identifier."""
    tracking_number: str
    """Deprecated: use `tracking`."""
    code: str
    """Filter by code."""
    since: str | datetime
    """RFC 3339, between the years 1970 and 2100."""
    until: str | datetime
    """RFC 3339, between the years 1970 and 2100."""


class TrackingStatuses:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.StatusIn]
    ) -> types.StatusOut:
        """Add a tracking status outside the order flow."""
        return self._transport.call("POST", "/v1/tracking-statuses", body=fields, options=options)

    def delete(
        self, tracking_status_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a status that was added manually."""
        return self._transport.call(
            "DELETE",
            fill_path("/v1/tracking-statuses/{tracking_status_id}", tracking_status_id),
            options=options,
        )

    def get(self, tracking_status_id: str, /, *, options: Options | None = None) -> types.StatusOut:
        """Retrieve a tracking status."""
        return self._transport.call(
            "GET",
            fill_path("/v1/tracking-statuses/{tracking_status_id}", tracking_status_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[TrackingStatusesListQuery]
    ) -> Pages[types.StatusOut]:
        """List tracking statuses, newest first."""
        return self._transport.list_pages("/v1/tracking-statuses", query=query, options=options)

    def update(
        self,
        tracking_status_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.StatusChange],
    ) -> types.StatusOut:
        """Update a status that was added manually."""
        return self._transport.call(
            "PATCH",
            fill_path("/v1/tracking-statuses/{tracking_status_id}", tracking_status_id),
            body=fields,
            options=options,
        )


class AsyncTrackingStatuses:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.StatusIn]
    ) -> types.StatusOut:
        """Add a tracking status outside the order flow."""
        return await self._transport.call(
            "POST", "/v1/tracking-statuses", body=fields, options=options
        )

    async def delete(
        self, tracking_status_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a status that was added manually."""
        return await self._transport.call(
            "DELETE",
            fill_path("/v1/tracking-statuses/{tracking_status_id}", tracking_status_id),
            options=options,
        )

    async def get(
        self, tracking_status_id: str, /, *, options: Options | None = None
    ) -> types.StatusOut:
        """Retrieve a tracking status."""
        return await self._transport.call(
            "GET",
            fill_path("/v1/tracking-statuses/{tracking_status_id}", tracking_status_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[TrackingStatusesListQuery]
    ) -> AsyncPages[types.StatusOut]:
        """List tracking statuses, newest first."""
        return self._transport.list_pages("/v1/tracking-statuses", query=query, options=options)

    async def update(
        self,
        tracking_status_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.StatusChange],
    ) -> types.StatusOut:
        """Update a status that was added manually."""
        return await self._transport.call(
            "PATCH",
            fill_path("/v1/tracking-statuses/{tracking_status_id}", tracking_status_id),
            body=fields,
            options=options,
        )
