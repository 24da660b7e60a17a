# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.saved_views`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalSavedViewsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    list_name: Literal["orders"]
    """Filter by list name."""


class InternalSavedViews:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.SavedViewIn]
    ) -> types.SavedViewOut:
        """Save the filters, sorting and layout of a list under a name."""
        return self._transport.call("POST", "/int/v1/saved-views", body=fields, options=options)

    def delete(
        self, saved_view_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete one of your views."""
        return self._transport.call(
            "DELETE",
            fill_path("/int/v1/saved-views/{saved_view_id}", saved_view_id),
            options=options,
        )

    def get(self, saved_view_id: str, /, *, options: Options | None = None) -> types.SavedViewOut:
        """Retrieve a view."""
        return self._transport.call(
            "GET", fill_path("/int/v1/saved-views/{saved_view_id}", saved_view_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalSavedViewsListQuery]
    ) -> Pages[types.SavedViewOut]:
        """List your own views and those that others share."""
        return self._transport.list_pages("/int/v1/saved-views", query=query, options=options)

    def update(
        self,
        saved_view_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.SavedViewChange],
    ) -> types.SavedViewOut:
        """Change one of your views."""
        return self._transport.call(
            "PATCH",
            fill_path("/int/v1/saved-views/{saved_view_id}", saved_view_id),
            body=fields,
            options=options,
        )


class AsyncInternalSavedViews:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.SavedViewIn]
    ) -> types.SavedViewOut:
        """Save the filters, sorting and layout of a list under a name."""
        return await self._transport.call(
            "POST", "/int/v1/saved-views", body=fields, options=options
        )

    async def delete(
        self, saved_view_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete one of your views."""
        return await self._transport.call(
            "DELETE",
            fill_path("/int/v1/saved-views/{saved_view_id}", saved_view_id),
            options=options,
        )

    async def get(
        self, saved_view_id: str, /, *, options: Options | None = None
    ) -> types.SavedViewOut:
        """Retrieve a view."""
        return await self._transport.call(
            "GET", fill_path("/int/v1/saved-views/{saved_view_id}", saved_view_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalSavedViewsListQuery]
    ) -> AsyncPages[types.SavedViewOut]:
        """List your own views and those that others share."""
        return self._transport.list_pages("/int/v1/saved-views", query=query, options=options)

    async def update(
        self,
        saved_view_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.SavedViewChange],
    ) -> types.SavedViewOut:
        """Change one of your views."""
        return await self._transport.call(
            "PATCH",
            fill_path("/int/v1/saved-views/{saved_view_id}", saved_view_id),
            body=fields,
            options=options,
        )
