# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.operators`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalOperatorsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`,
    `email`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    role: types.OperatorRole
    """Filter by role."""


class InternalOperatorsListTokensQuery(TypedDict, total=False):
    """Parameters of `list_tokens`."""

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


class InternalOperators:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.OperatorIn]
    ) -> types.OperatorOut:
        """Create an operator."""
        return self._transport.call("POST", "/int/v1/operators", body=fields, options=options)

    def delete(self, operator_id: str, /, *, options: Options | None = None) -> bytes:
        """Remove an operator."""
        return self._transport.download(
            fill_path("/int/v1/operators/{operator_id}", operator_id), options=options
        )

    def delete_token(
        self, operator_id: str, token_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """Revoke one token."""
        return self._transport.call(
            "DELETE",
            fill_path("/int/v1/operators/{operator_id}/tokens/{token_id}", operator_id, token_id),
            options=options,
        )

    def delete_tokens(
        self, operator_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """Revoke all tokens."""
        return self._transport.call(
            "DELETE",
            fill_path("/int/v1/operators/{operator_id}/tokens", operator_id),
            options=options,
        )

    def get(self, operator_id: str, /, *, options: Options | None = None) -> types.OperatorOut:
        """Retrieve an operator."""
        return self._transport.call(
            "GET", fill_path("/int/v1/operators/{operator_id}", operator_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalOperatorsListQuery]
    ) -> Pages[types.OperatorOut]:
        """List operators."""
        return self._transport.list_pages("/int/v1/operators", query=query, options=options)

    def list_tokens(
        self,
        operator_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[InternalOperatorsListTokensQuery],
    ) -> Pages[types.SessionOut]:
        """List active or revoked tokens, newest first."""
        return self._transport.list_pages(
            fill_path("/int/v1/operators/{operator_id}/tokens", operator_id),
            query=query,
            options=options,
        )

    def update(
        self,
        operator_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.OperatorChange],
    ) -> types.OperatorOut:
        """Update an operator's name, role or password, or disable the operator."""
        return self._transport.call(
            "PATCH",
            fill_path("/int/v1/operators/{operator_id}", operator_id),
            body=fields,
            options=options,
        )


class AsyncInternalOperators:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.OperatorIn]
    ) -> types.OperatorOut:
        """Create an operator."""
        return await self._transport.call("POST", "/int/v1/operators", body=fields, options=options)

    async def delete(self, operator_id: str, /, *, options: Options | None = None) -> bytes:
        """Remove an operator."""
        return await self._transport.download(
            fill_path("/int/v1/operators/{operator_id}", operator_id), options=options
        )

    async def delete_token(
        self, operator_id: str, token_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """Revoke one token."""
        return await self._transport.call(
            "DELETE",
            fill_path("/int/v1/operators/{operator_id}/tokens/{token_id}", operator_id, token_id),
            options=options,
        )

    async def delete_tokens(
        self, operator_id: str, /, *, options: Options | None = None
    ) -> types.SessionEnded:
        """Revoke all tokens."""
        return await self._transport.call(
            "DELETE",
            fill_path("/int/v1/operators/{operator_id}/tokens", operator_id),
            options=options,
        )

    async def get(
        self, operator_id: str, /, *, options: Options | None = None
    ) -> types.OperatorOut:
        """Retrieve an operator."""
        return await self._transport.call(
            "GET", fill_path("/int/v1/operators/{operator_id}", operator_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalOperatorsListQuery]
    ) -> AsyncPages[types.OperatorOut]:
        """List operators."""
        return self._transport.list_pages("/int/v1/operators", query=query, options=options)

    def list_tokens(
        self,
        operator_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[InternalOperatorsListTokensQuery],
    ) -> AsyncPages[types.SessionOut]:
        """List active or revoked tokens, newest first."""
        return self._transport.list_pages(
            fill_path("/int/v1/operators/{operator_id}/tokens", operator_id),
            query=query,
            options=options,
        )

    async def update(
        self,
        operator_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.OperatorChange],
    ) -> types.OperatorOut:
        """Update an operator's name, role or password, or disable the operator."""
        return await self._transport.call(
            "PATCH",
            fill_path("/int/v1/operators/{operator_id}", operator_id),
            body=fields,
            options=options,
        )
