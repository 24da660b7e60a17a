# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.sessions`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalSessionsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    ended: bool
    """List sessions that ended within the last 30 days, instead of active ones."""


class InternalSessions:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def delete(self, token_id: str, /, *, options: Options | None = None) -> types.SessionEnded:
        """Revoke one token."""
        return self._transport.call(
            "DELETE", fill_path("/int/v1/sessions/{token_id}", token_id), options=options
        )

    def delete_all(self, *, options: Options | None = None) -> types.SessionEnded:
        """Revoke all tokens."""
        return self._transport.call("DELETE", "/int/v1/sessions", options=options)

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalSessionsListQuery]
    ) -> Pages[types.SessionOut]:
        """List active or revoked tokens, newest first."""
        return self._transport.list_pages("/int/v1/sessions", query=query, options=options)


class AsyncInternalSessions:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def delete(
        self, token_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """Revoke one token."""
        return await self._transport.call(
            "DELETE", fill_path("/int/v1/sessions/{token_id}", token_id), options=options
        )

    async def delete_all(self, *, options: Options | None = None) -> types.SessionEnded:
        """Revoke all tokens."""
        return await self._transport.call("DELETE", "/int/v1/sessions", options=options)

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalSessionsListQuery]
    ) -> AsyncPages[types.SessionOut]:
        """List active or revoked tokens, newest first."""
        return self._transport.list_pages("/int/v1/sessions", query=query, options=options)
