# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.cash`."""

from __future__ import annotations

from functools import cached_property

from pannier_client.resources.cash.balances import AsyncCashBalances, CashBalances
from pannier_client.resources.cash.collections import AsyncCashCollections, CashCollections
from pannier_client.resources.cash.differences import AsyncCashDifferences, CashDifferences
from pannier_client.resources.cash.hand_ins import AsyncCashHandIns, CashHandIns
from pannier_client.resources.cash.remittances import AsyncCashRemittances, CashRemittances
from pannier_client.transport import AsyncTransport, Transport


class Cash:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @cached_property
    def balances(self) -> CashBalances:
        return CashBalances(self._transport)

    @cached_property
    def collections(self) -> CashCollections:
        return CashCollections(self._transport)

    @cached_property
    def differences(self) -> CashDifferences:
        return CashDifferences(self._transport)

    @cached_property
    def hand_ins(self) -> CashHandIns:
        return CashHandIns(self._transport)

    @cached_property
    def remittances(self) -> CashRemittances:
        return CashRemittances(self._transport)


class AsyncCash:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @cached_property
    def balances(self) -> AsyncCashBalances:
        return AsyncCashBalances(self._transport)

    @cached_property
    def collections(self) -> AsyncCashCollections:
        return AsyncCashCollections(self._transport)

    @cached_property
    def differences(self) -> AsyncCashDifferences:
        return AsyncCashDifferences(self._transport)

    @cached_property
    def hand_ins(self) -> AsyncCashHandIns:
        return AsyncCashHandIns(self._transport)

    @cached_property
    def remittances(self) -> AsyncCashRemittances:
        return AsyncCashRemittances(self._transport)
