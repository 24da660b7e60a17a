# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.payloads`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import OMITTED, Omitted, Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class PayloadsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`,
    `updated_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    type: str
    """Filter by type."""
    state: Literal["begun", "closed", "open"]
    """Filter by state."""


class Payloads:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        return_: str
        | types.PlaceIn
        | types.GeoJsonPoint
        | Sequence[float]
        | None
        | Omitted = OMITTED,
        options: Options | None = None,
        **fields: Unpack[types.PayloadIn],
    ) -> types.PayloadOut:
        """Create a payload with its stops and items."""
        return self._transport.call(
            "POST", "/v1/payloads", body={**fields, "return": return_}, options=options
        )

    def delete(self, payload_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete a payload without an order, together with its stops and items."""
        return self._transport.call(
            "DELETE", fill_path("/v1/payloads/{payload_id}", payload_id), options=options
        )

    def get(self, payload_id: str, /, *, options: Options | None = None) -> types.PayloadOut:
        """Retrieve a payload with its stops and items."""
        return self._transport.call(
            "GET", fill_path("/v1/payloads/{payload_id}", payload_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[PayloadsListQuery]
    ) -> Pages[types.PayloadOut]:
        """List payloads."""
        return self._transport.list_pages("/v1/payloads", query=query, options=options)

    def update(
        self,
        payload_id: str,
        /,
        *,
        return_: str
        | types.PlaceIn
        | types.GeoJsonPoint
        | Sequence[float]
        | None
        | Omitted = OMITTED,
        options: Options | None = None,
        **fields: Unpack[types.PayloadChange],
    ) -> types.PayloadOut:
        """Update a payload."""
        return self._transport.call(
            "PATCH",
            fill_path("/v1/payloads/{payload_id}", payload_id),
            body={**fields, "return": return_},
            options=options,
        )


class AsyncPayloads:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self,
        *,
        return_: str
        | types.PlaceIn
        | types.GeoJsonPoint
        | Sequence[float]
        | None
        | Omitted = OMITTED,
        options: Options | None = None,
        **fields: Unpack[types.PayloadIn],
    ) -> types.PayloadOut:
        """Create a payload with its stops and items."""
        return await self._transport.call(
            "POST", "/v1/payloads", body={**fields, "return": return_}, options=options
        )

    async def delete(
        self, payload_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a payload without an order, together with its stops and items."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/payloads/{payload_id}", payload_id), options=options
        )

    async def get(self, payload_id: str, /, *, options: Options | None = None) -> types.PayloadOut:
        """Retrieve a payload with its stops and items."""
        return await self._transport.call(
            "GET", fill_path("/v1/payloads/{payload_id}", payload_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[PayloadsListQuery]
    ) -> AsyncPages[types.PayloadOut]:
        """List payloads."""
        return self._transport.list_pages("/v1/payloads", query=query, options=options)

    async def update(
        self,
        payload_id: str,
        /,
        *,
        return_: str
        | types.PlaceIn
        | types.GeoJsonPoint
        | Sequence[float]
        | None
        | Omitted = OMITTED,
        options: Options | None = None,
        **fields: Unpack[types.PayloadChange],
    ) -> types.PayloadOut:
        """Update a payload."""
        return await self._transport.call(
            "PATCH",
            fill_path("/v1/payloads/{payload_id}", payload_id),
            body={**fields, "return": return_},
            options=options,
        )
