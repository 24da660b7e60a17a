# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.cash.remittances`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class CashRemittancesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    customer: str
    """A contact or vendor, by its identifier."""
    currency: str
    """ISO 4217, three letters."""


class CashRemittances:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.RemittanceIn]
    ) -> types.RemittanceOut:
        """Remit a merchant's cash that drivers have handed in since the last remittance."""
        return self._transport.call("POST", "/v1/cash/remittances", body=fields, options=options)

    def get(
        self, cash_remittance_id: str, /, *, options: Options | None = None
    ) -> types.RemittanceOut:
        """Retrieve a cash remittance."""
        return self._transport.call(
            "GET",
            fill_path("/v1/cash/remittances/{cash_remittance_id}", cash_remittance_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[CashRemittancesListQuery]
    ) -> Pages[types.RemittanceOut]:
        """List cash/remittances."""
        return self._transport.list_pages("/v1/cash/remittances", query=query, options=options)


class AsyncCashRemittances:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.RemittanceIn]
    ) -> types.RemittanceOut:
        """Remit a merchant's cash that drivers have handed in since the last remittance."""
        return await self._transport.call(
            "POST", "/v1/cash/remittances", body=fields, options=options
        )

    async def get(
        self, cash_remittance_id: str, /, *, options: Options | None = None
    ) -> types.RemittanceOut:
        """Retrieve a cash remittance."""
        return await self._transport.call(
            "GET",
            fill_path("/v1/cash/remittances/{cash_remittance_id}", cash_remittance_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[CashRemittancesListQuery]
    ) -> AsyncPages[types.RemittanceOut]:
        """List cash/remittances."""
        return self._transport.list_pages("/v1/cash/remittances", query=query, options=options)
