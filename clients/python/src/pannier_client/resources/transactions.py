# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.transactions`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class TransactionsListQuery(TypedDict, total=False):
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
    status: types.TransactionStatus | Sequence[types.TransactionStatus]
    """Filter by status."""
    order: str
    """Filter by order."""
    customer: str
    """Filter by customer."""
    service_quote: str
    """Filter by quote."""
    balance: types.BalanceKind
    """`owed`: something is due; `credit`: a credit."""
    since: str | datetime
    """RFC 3339, between the years 1970 and 2100."""
    until: str | datetime
    """RFC 3339, between the years 1970 and 2100."""


class Transactions:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def checkout(
        self,
        transaction_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CheckoutIn],
    ) -> types.TransactionOut:
        """Get or create the checkout page of a transaction."""
        return self._transport.call(
            "POST",
            fill_path("/v1/transactions/{transaction_id}/checkout", transaction_id),
            body=fields,
            options=options,
        )

    def create_payment(
        self,
        transaction_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.PaymentIn],
    ) -> types.TransactionOut:
        """Record money that was received outside a gateway, in full or in part."""
        return self._transport.call(
            "POST",
            fill_path("/v1/transactions/{transaction_id}/payments", transaction_id),
            body=fields,
            options=options,
        )

    def get(
        self, transaction_id: str, /, *, options: Options | None = None
    ) -> types.TransactionOut:
        """Retrieve a transaction."""
        return self._transport.call(
            "GET", fill_path("/v1/transactions/{transaction_id}", transaction_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[TransactionsListQuery]
    ) -> Pages[types.TransactionOut]:
        """List transactions."""
        return self._transport.list_pages("/v1/transactions", query=query, options=options)

    def refund(
        self,
        transaction_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.RefundIn],
    ) -> types.TransactionOut:
        """Refund a transaction in full or in part."""
        return self._transport.call(
            "POST",
            fill_path("/v1/transactions/{transaction_id}/refund", transaction_id),
            body=fields,
            options=options,
        )


class AsyncTransactions:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def checkout(
        self,
        transaction_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CheckoutIn],
    ) -> types.TransactionOut:
        """Get or create the checkout page of a transaction."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/transactions/{transaction_id}/checkout", transaction_id),
            body=fields,
            options=options,
        )

    async def create_payment(
        self,
        transaction_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.PaymentIn],
    ) -> types.TransactionOut:
        """Record money that was received outside a gateway, in full or in part."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/transactions/{transaction_id}/payments", transaction_id),
            body=fields,
            options=options,
        )

    async def get(
        self, transaction_id: str, /, *, options: Options | None = None
    ) -> types.TransactionOut:
        """Retrieve a transaction."""
        return await self._transport.call(
            "GET", fill_path("/v1/transactions/{transaction_id}", transaction_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[TransactionsListQuery]
    ) -> AsyncPages[types.TransactionOut]:
        """List transactions."""
        return self._transport.list_pages("/v1/transactions", query=query, options=options)

    async def refund(
        self,
        transaction_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.RefundIn],
    ) -> types.TransactionOut:
        """Refund a transaction in full or in part."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/transactions/{transaction_id}/refund", transaction_id),
            body=fields,
            options=options,
        )
