# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.tracking_numbers`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class TrackingNumbersListQuery(TypedDict, total=False):
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
    type: types.ProofSubjectType
    """Filter by type."""
    tracking: str
    """Tracking number."""
    tracking_number: str
    """Deprecated: use `tracking`."""


class TrackingNumbers:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def download_barcode_png(self, number_id: str, /, *, options: Options | None = None) -> bytes:
        """Render a tracking number's barcode (Code 128) as PNG."""
        return self._transport.download(
            fill_path("/v1/tracking-numbers/{number_id}/barcode.png", number_id), options=options
        )

    def download_barcode_svg(self, number_id: str, /, *, options: Options | None = None) -> bytes:
        """Render a tracking number's barcode (Code 128) as SVG."""
        return self._transport.download(
            fill_path("/v1/tracking-numbers/{number_id}/barcode.svg", number_id), options=options
        )

    def download_qr_png(self, number_id: str, /, *, options: Options | None = None) -> bytes:
        """Render a tracking number's QR code as PNG."""
        return self._transport.download(
            fill_path("/v1/tracking-numbers/{number_id}/qr.png", number_id), options=options
        )

    def download_qr_svg(self, number_id: str, /, *, options: Options | None = None) -> bytes:
        """Render a tracking number's QR code as SVG."""
        return self._transport.download(
            fill_path("/v1/tracking-numbers/{number_id}/qr.svg", number_id), options=options
        )

    def find_by_qr(
        self, *, options: Options | None = None, **fields: Unpack[types.ScannedIn]
    ) -> types.NumberDetailsOut:
        """Find the tracking number of a scanned label."""
        return self._transport.call(
            "POST", "/v1/tracking-numbers/from-qr", body=fields, options=options
        )

    def get(self, number_id: str, /, *, options: Options | None = None) -> types.NumberDetailsOut:
        """Retrieve a tracking number by number or id, with its history and label."""
        return self._transport.call(
            "GET", fill_path("/v1/tracking-numbers/{number_id}", number_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[TrackingNumbersListQuery]
    ) -> Pages[types.NumberOut]:
        """List tracking numbers."""
        return self._transport.list_pages("/v1/tracking-numbers", query=query, options=options)


class AsyncTrackingNumbers:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def download_barcode_png(
        self, number_id: str, /, *, options: Options | None = None
    ) -> bytes:
        """Render a tracking number's barcode (Code 128) as PNG."""
        return await self._transport.download(
            fill_path("/v1/tracking-numbers/{number_id}/barcode.png", number_id), options=options
        )

    async def download_barcode_svg(
        self, number_id: str, /, *, options: Options | None = None
    ) -> bytes:
        """Render a tracking number's barcode (Code 128) as SVG."""
        return await self._transport.download(
            fill_path("/v1/tracking-numbers/{number_id}/barcode.svg", number_id), options=options
        )

    async def download_qr_png(self, number_id: str, /, *, options: Options | None = None) -> bytes:
        """Render a tracking number's QR code as PNG."""
        return await self._transport.download(
            fill_path("/v1/tracking-numbers/{number_id}/qr.png", number_id), options=options
        )

    async def download_qr_svg(self, number_id: str, /, *, options: Options | None = None) -> bytes:
        """Render a tracking number's QR code as SVG."""
        return await self._transport.download(
            fill_path("/v1/tracking-numbers/{number_id}/qr.svg", number_id), options=options
        )

    async def find_by_qr(
        self, *, options: Options | None = None, **fields: Unpack[types.ScannedIn]
    ) -> types.NumberDetailsOut:
        """Find the tracking number of a scanned label."""
        return await self._transport.call(
            "POST", "/v1/tracking-numbers/from-qr", body=fields, options=options
        )

    async def get(
        self, number_id: str, /, *, options: Options | None = None
    ) -> types.NumberDetailsOut:
        """Retrieve a tracking number by number or id, with its history and label."""
        return await self._transport.call(
            "GET", fill_path("/v1/tracking-numbers/{number_id}", number_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[TrackingNumbersListQuery]
    ) -> AsyncPages[types.NumberOut]:
        """List tracking numbers."""
        return self._transport.list_pages("/v1/tracking-numbers", query=query, options=options)
