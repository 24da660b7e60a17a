# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.audit`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalAuditExportQuery(TypedDict, total=False):
    """Parameters of `export`."""

    format: Literal["csv", "ndjson"]
    """Filter by format."""
    action: str
    """Filter by action."""
    actor: str
    """Filter by actor."""
    subject: str
    """Subject, by UUID or public id."""
    since: str | datetime
    """RFC 3339, between the years 1970 and 2100."""
    until: str | datetime
    """RFC 3339, between the years 1970 and 2100."""


class InternalAuditListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    action: str
    """Filter by action."""
    actor: str
    """Filter by actor."""
    subject: str
    """Subject, by UUID or public id."""
    since: str | datetime
    """RFC 3339, between the years 1970 and 2100."""
    until: str | datetime
    """RFC 3339, between the years 1970 and 2100."""


class InternalAudit:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def export(
        self, *, options: Options | None = None, **query: Unpack[InternalAuditExportQuery]
    ) -> bytes:
        """Download all entries of the audit log that match the filters, oldest first."""
        return self._transport.download("/int/v1/audit/export", query=query, options=options)

    def get(self, audit_id: str, /, *, options: Options | None = None) -> types.AuditOut:
        """Retrieve an audit log entry, with the values before and after the change."""
        return self._transport.call(
            "GET", fill_path("/int/v1/audit/{audit_id}", audit_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalAuditListQuery]
    ) -> Pages[types.AuditOut]:
        """List changes and who made them."""
        return self._transport.list_pages("/int/v1/audit", query=query, options=options)


class AsyncInternalAudit:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def export(
        self, *, options: Options | None = None, **query: Unpack[InternalAuditExportQuery]
    ) -> bytes:
        """Download all entries of the audit log that match the filters, oldest first."""
        return await self._transport.download("/int/v1/audit/export", query=query, options=options)

    async def get(self, audit_id: str, /, *, options: Options | None = None) -> types.AuditOut:
        """Retrieve an audit log entry, with the values before and after the change."""
        return await self._transport.call(
            "GET", fill_path("/int/v1/audit/{audit_id}", audit_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalAuditListQuery]
    ) -> AsyncPages[types.AuditOut]:
        """List changes and who made them."""
        return self._transport.list_pages("/int/v1/audit", query=query, options=options)
