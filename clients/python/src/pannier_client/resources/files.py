# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.files`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class FilesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`,
    `size`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    name: str
    """Part of the name, in any case."""
    content_type: str
    """Filter by content type."""


class Files:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.FileIn]
    ) -> types.FileOut:
        """Upload a file, as a form or as JSON."""
        return self._transport.call("POST", "/v1/files", body=fields, options=options)

    def delete(self, file_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete a file; its links stop working immediately."""
        return self._transport.call(
            "DELETE", fill_path("/v1/files/{file_id}", file_id), options=options
        )

    def get(self, file_id: str, /, *, options: Options | None = None) -> types.FileOut:
        """Retrieve a file's metadata, with a new link to its content."""
        return self._transport.call(
            "GET", fill_path("/v1/files/{file_id}", file_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[FilesListQuery]
    ) -> Pages[types.FileOut]:
        """List the company's files."""
        return self._transport.list_pages("/v1/files", query=query, options=options)


class AsyncFiles:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.FileIn]
    ) -> types.FileOut:
        """Upload a file, as a form or as JSON."""
        return await self._transport.call("POST", "/v1/files", body=fields, options=options)

    async def delete(
        self, file_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a file; its links stop working immediately."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/files/{file_id}", file_id), options=options
        )

    async def get(self, file_id: str, /, *, options: Options | None = None) -> types.FileOut:
        """Retrieve a file's metadata, with a new link to its content."""
        return await self._transport.call(
            "GET", fill_path("/v1/files/{file_id}", file_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[FilesListQuery]
    ) -> AsyncPages[types.FileOut]:
        """List the company's files."""
        return self._transport.list_pages("/v1/files", query=query, options=options)
