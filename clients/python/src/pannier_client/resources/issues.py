# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.issues`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class IssuesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`,
    `updated_at`, `status`, `priority`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    query: str
    """Search words."""
    status: types.IssueStatus | Sequence[types.IssueStatus]
    """Any of these."""
    resolved: bool
    """Whether it is resolved."""
    priority: types.IssuePriority
    """Filter by priority."""
    type: str
    """Filter by type."""
    category: str
    """Filter by category."""
    order: str
    """About this order."""
    tag: str
    """Filter by tag."""
    driver: str
    """About this driver."""
    vehicle: str
    """About this vehicle."""


class Issues:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.IssueIn]
    ) -> types.IssueOut:
        """Report an issue."""
        return self._transport.call("POST", "/v1/issues", body=fields, options=options)

    def create_photo(
        self,
        issue_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.IssuePhotosIn],
    ) -> builtins.list[types.IssuePhotoOut]:
        """Add photos to an issue."""
        return self._transport.call(
            "POST",
            fill_path("/v1/issues/{issue_id}/photos", issue_id),
            body=fields,
            options=options,
        )

    def create_with_photos(
        self, *, options: Options | None = None, **fields: Unpack[types.ReportIn]
    ) -> types.ReportedOut:
        """Report an issue together with its photos."""
        return self._transport.call("POST", "/v1/issues/with-photos", body=fields, options=options)

    def delete(self, issue_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete an issue."""
        return self._transport.call(
            "DELETE", fill_path("/v1/issues/{issue_id}", issue_id), options=options
        )

    def get(self, issue_id: str, /, *, options: Options | None = None) -> types.IssueOut:
        """Retrieve an issue."""
        return self._transport.call(
            "GET", fill_path("/v1/issues/{issue_id}", issue_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[IssuesListQuery]
    ) -> Pages[types.IssueOut]:
        """List the company's issues."""
        return self._transport.list_pages("/v1/issues", query=query, options=options)

    def list_photos(
        self, issue_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.IssuePhotoOut]:
        """List the photos of an issue with fresh links."""
        return self._transport.call(
            "GET", fill_path("/v1/issues/{issue_id}/photos", issue_id), options=options
        )

    def reopen(self, issue_id: str, /, *, options: Options | None = None) -> types.IssueOut:
        """Reopen a resolved issue."""
        return self._transport.call(
            "POST", fill_path("/v1/issues/{issue_id}/reopen", issue_id), options=options
        )

    def resolve(
        self, issue_id: str, /, *, options: Options | None = None, **fields: Unpack[types.ResolveIn]
    ) -> types.IssueOut:
        """Resolve an issue."""
        return self._transport.call(
            "POST",
            fill_path("/v1/issues/{issue_id}/resolve", issue_id),
            body=fields,
            options=options,
        )

    def update(
        self,
        issue_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.IssueChange],
    ) -> types.IssueOut:
        """Update an issue."""
        return self._transport.call(
            "PATCH", fill_path("/v1/issues/{issue_id}", issue_id), body=fields, options=options
        )


class AsyncIssues:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.IssueIn]
    ) -> types.IssueOut:
        """Report an issue."""
        return await self._transport.call("POST", "/v1/issues", body=fields, options=options)

    async def create_photo(
        self,
        issue_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.IssuePhotosIn],
    ) -> builtins.list[types.IssuePhotoOut]:
        """Add photos to an issue."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/issues/{issue_id}/photos", issue_id),
            body=fields,
            options=options,
        )

    async def create_with_photos(
        self, *, options: Options | None = None, **fields: Unpack[types.ReportIn]
    ) -> types.ReportedOut:
        """Report an issue together with its photos."""
        return await self._transport.call(
            "POST", "/v1/issues/with-photos", body=fields, options=options
        )

    async def delete(
        self, issue_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete an issue."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/issues/{issue_id}", issue_id), options=options
        )

    async def get(self, issue_id: str, /, *, options: Options | None = None) -> types.IssueOut:
        """Retrieve an issue."""
        return await self._transport.call(
            "GET", fill_path("/v1/issues/{issue_id}", issue_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[IssuesListQuery]
    ) -> AsyncPages[types.IssueOut]:
        """List the company's issues."""
        return self._transport.list_pages("/v1/issues", query=query, options=options)

    async def list_photos(
        self, issue_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.IssuePhotoOut]:
        """List the photos of an issue with fresh links."""
        return await self._transport.call(
            "GET", fill_path("/v1/issues/{issue_id}/photos", issue_id), options=options
        )

    async def reopen(self, issue_id: str, /, *, options: Options | None = None) -> types.IssueOut:
        """Reopen a resolved issue."""
        return await self._transport.call(
            "POST", fill_path("/v1/issues/{issue_id}/reopen", issue_id), options=options
        )

    async def resolve(
        self, issue_id: str, /, *, options: Options | None = None, **fields: Unpack[types.ResolveIn]
    ) -> types.IssueOut:
        """Resolve an issue."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/issues/{issue_id}/resolve", issue_id),
            body=fields,
            options=options,
        )

    async def update(
        self,
        issue_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.IssueChange],
    ) -> types.IssueOut:
        """Update an issue."""
        return await self._transport.call(
            "PATCH", fill_path("/v1/issues/{issue_id}", issue_id), body=fields, options=options
        )
