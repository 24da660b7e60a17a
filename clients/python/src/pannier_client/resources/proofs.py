# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.proofs`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Required, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class ProofsDownloadZipQuery(TypedDict, total=False):
    """Parameters of `download_zip`."""

    id: Required[str | Sequence[str]]
    """Ids of proofs, of any orders."""


class ProofsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `received_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    order: str
    """An order's id, or `internal:` and its `internal_id`, such as `internal:SO-2041`."""
    driver: str
    """Filter by the driver who captured it."""
    method: types.RecordedProofMethod
    """Filter by method."""
    subject_type: types.ProofSubjectType
    """Filter by subject type."""
    since: str | datetime
    """Received at or after this time."""
    until: str | datetime
    """Received before this time."""


class Proofs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def download_zip(
        self, *, options: Options | None = None, **query: Unpack[ProofsDownloadZipQuery]
    ) -> bytes:
        """Download proofs and images of several orders as a ZIP file."""
        return self._transport.download("/v1/proofs.zip", query=query, options=options)

    def get(self, proof_id: str, /, *, options: Options | None = None) -> types.ProofOut:
        """Retrieve a proof, with a fresh link to its image."""
        return self._transport.call(
            "GET", fill_path("/v1/proofs/{proof_id}", proof_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[ProofsListQuery]
    ) -> Pages[types.ProofOut]:
        """List proofs, newest first."""
        return self._transport.list_pages("/v1/proofs", query=query, options=options)

    def verify(self, proof_id: str, /, *, options: Options | None = None) -> types.VerdictOut:
        """Verify that a proof, its image and its order's chain are unchanged."""
        return self._transport.call(
            "GET", fill_path("/v1/proofs/{proof_id}/verify", proof_id), options=options
        )


class AsyncProofs:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def download_zip(
        self, *, options: Options | None = None, **query: Unpack[ProofsDownloadZipQuery]
    ) -> bytes:
        """Download proofs and images of several orders as a ZIP file."""
        return await self._transport.download("/v1/proofs.zip", query=query, options=options)

    async def get(self, proof_id: str, /, *, options: Options | None = None) -> types.ProofOut:
        """Retrieve a proof, with a fresh link to its image."""
        return await self._transport.call(
            "GET", fill_path("/v1/proofs/{proof_id}", proof_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[ProofsListQuery]
    ) -> AsyncPages[types.ProofOut]:
        """List proofs, newest first."""
        return self._transport.list_pages("/v1/proofs", query=query, options=options)

    async def verify(self, proof_id: str, /, *, options: Options | None = None) -> types.VerdictOut:
        """Verify that a proof, its image and its order's chain are unchanged."""
        return await self._transport.call(
            "GET", fill_path("/v1/proofs/{proof_id}/verify", proof_id), options=options
        )
