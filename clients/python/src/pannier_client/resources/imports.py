# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.imports`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class ImportsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    resource: types.ImportResource
    """Filter by kind of records."""
    state: (
        Literal["checked", "checking", "done", "failed", "importing", "new", "undoing", "undone"]
        | Sequence[
            Literal[
                "checked", "checking", "done", "failed", "importing", "new", "undoing", "undone"
            ]
        ]
    )
    """Any of these."""


class ImportsListRowsQuery(TypedDict, total=False):
    """Parameters of `list_rows`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `number`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    state: (
        Literal["created", "failed", "kept", "unchanged", "undone"]
        | Sequence[Literal["created", "failed", "kept", "unchanged", "undone"]]
    )
    """Any of these."""


class Imports:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def check(self, import_id: str, /, *, options: Options | None = None) -> types.ImportOut:
        """Check every row without creating anything."""
        return self._transport.call(
            "POST", fill_path("/v1/imports/{import_id}/dry-run", import_id), options=options
        )

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.ImportIn]
    ) -> types.ImportOut:
        """Create an import of a file."""
        return self._transport.call("POST", "/v1/imports", body=fields, options=options)

    def get(self, import_id: str, /, *, options: Options | None = None) -> types.ImportOut:
        """Retrieve an import with its progress."""
        return self._transport.call(
            "GET", fill_path("/v1/imports/{import_id}", import_id), options=options
        )

    def get_faulty_rows(self, import_id: str, /, *, options: Options | None = None) -> bytes:
        """Download the faulty rows as CSV, with a column for the errors."""
        return self._transport.download(
            fill_path("/v1/imports/{import_id}/faulty-rows", import_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[ImportsListQuery]
    ) -> Pages[types.ImportOut]:
        """List imports, sorted by `created_at`."""
        return self._transport.list_pages("/v1/imports", query=query, options=options)

    def list_rows(
        self,
        import_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[ImportsListRowsQuery],
    ) -> Pages[types.ImportedRowOut]:
        """List the results of an import's rows, sorted by `number`."""
        return self._transport.list_pages(
            fill_path("/v1/imports/{import_id}/rows", import_id), query=query, options=options
        )

    def start(self, import_id: str, /, *, options: Options | None = None) -> types.ImportOut:
        """Create the records of all rows without errors."""
        return self._transport.call(
            "POST", fill_path("/v1/imports/{import_id}/start", import_id), options=options
        )

    def undo(self, import_id: str, /, *, options: Options | None = None) -> types.ImportOut:
        """Delete the records that an import created, except those in use or changed since."""
        return self._transport.call(
            "POST", fill_path("/v1/imports/{import_id}/undo", import_id), options=options
        )

    def update(
        self,
        import_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.ImportChange],
    ) -> types.ImportOut:
        """Change the mapping of an import that has not started."""
        return self._transport.call(
            "PATCH", fill_path("/v1/imports/{import_id}", import_id), body=fields, options=options
        )


class AsyncImports:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def check(self, import_id: str, /, *, options: Options | None = None) -> types.ImportOut:
        """Check every row without creating anything."""
        return await self._transport.call(
            "POST", fill_path("/v1/imports/{import_id}/dry-run", import_id), options=options
        )

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.ImportIn]
    ) -> types.ImportOut:
        """Create an import of a file."""
        return await self._transport.call("POST", "/v1/imports", body=fields, options=options)

    async def get(self, import_id: str, /, *, options: Options | None = None) -> types.ImportOut:
        """Retrieve an import with its progress."""
        return await self._transport.call(
            "GET", fill_path("/v1/imports/{import_id}", import_id), options=options
        )

    async def get_faulty_rows(self, import_id: str, /, *, options: Options | None = None) -> bytes:
        """Download the faulty rows as CSV, with a column for the errors."""
        return await self._transport.download(
            fill_path("/v1/imports/{import_id}/faulty-rows", import_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[ImportsListQuery]
    ) -> AsyncPages[types.ImportOut]:
        """List imports, sorted by `created_at`."""
        return self._transport.list_pages("/v1/imports", query=query, options=options)

    def list_rows(
        self,
        import_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[ImportsListRowsQuery],
    ) -> AsyncPages[types.ImportedRowOut]:
        """List the results of an import's rows, sorted by `number`."""
        return self._transport.list_pages(
            fill_path("/v1/imports/{import_id}/rows", import_id), query=query, options=options
        )

    async def start(self, import_id: str, /, *, options: Options | None = None) -> types.ImportOut:
        """Create the records of all rows without errors."""
        return await self._transport.call(
            "POST", fill_path("/v1/imports/{import_id}/start", import_id), options=options
        )

    async def undo(self, import_id: str, /, *, options: Options | None = None) -> types.ImportOut:
        """Delete the records that an import created, except those in use or changed since."""
        return await self._transport.call(
            "POST", fill_path("/v1/imports/{import_id}/undo", import_id), options=options
        )

    async def update(
        self,
        import_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.ImportChange],
    ) -> types.ImportOut:
        """Change the mapping of an import that has not started."""
        return await self._transport.call(
            "PATCH", fill_path("/v1/imports/{import_id}", import_id), body=fields, options=options
        )
