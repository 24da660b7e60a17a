# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.cash.balances`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pannier_client.requests import Options
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalCashBalances:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, *, options: Options | None = None) -> types.CashBalancesOut:
        """List the cash that drivers carry, and the cash to remit to merchants."""
        return self._transport.call("GET", "/int/v1/cash/balances", options=options)


class AsyncInternalCashBalances:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, *, options: Options | None = None) -> types.CashBalancesOut:
        """List the cash that drivers carry, and the cash to remit to merchants."""
        return await self._transport.call("GET", "/int/v1/cash/balances", options=options)
