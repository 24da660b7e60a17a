# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.cash`."""

from __future__ import annotations

from functools import cached_property

from pannier_client.resources.internal.cash.balances import (
    AsyncInternalCashBalances,
    InternalCashBalances,
)
from pannier_client.resources.internal.cash.collections import (
    AsyncInternalCashCollections,
    InternalCashCollections,
)
from pannier_client.resources.internal.cash.differences import (
    AsyncInternalCashDifferences,
    InternalCashDifferences,
)
from pannier_client.resources.internal.cash.hand_ins import (
    AsyncInternalCashHandIns,
    InternalCashHandIns,
)
from pannier_client.resources.internal.cash.remittances import (
    AsyncInternalCashRemittances,
    InternalCashRemittances,
)
from pannier_client.transport import AsyncTransport, Transport


class InternalCash:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @cached_property
    def balances(self) -> InternalCashBalances:
        return InternalCashBalances(self._transport)

    @cached_property
    def collections(self) -> InternalCashCollections:
        return InternalCashCollections(self._transport)

    @cached_property
    def differences(self) -> InternalCashDifferences:
        return InternalCashDifferences(self._transport)

    @cached_property
    def hand_ins(self) -> InternalCashHandIns:
        return InternalCashHandIns(self._transport)

    @cached_property
    def remittances(self) -> InternalCashRemittances:
        return InternalCashRemittances(self._transport)


class AsyncInternalCash:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @cached_property
    def balances(self) -> AsyncInternalCashBalances:
        return AsyncInternalCashBalances(self._transport)

    @cached_property
    def collections(self) -> AsyncInternalCashCollections:
        return AsyncInternalCashCollections(self._transport)

    @cached_property
    def differences(self) -> AsyncInternalCashDifferences:
        return AsyncInternalCashDifferences(self._transport)

    @cached_property
    def hand_ins(self) -> AsyncInternalCashHandIns:
        return AsyncInternalCashHandIns(self._transport)

    @cached_property
    def remittances(self) -> AsyncInternalCashRemittances:
        return AsyncInternalCashRemittances(self._transport)
