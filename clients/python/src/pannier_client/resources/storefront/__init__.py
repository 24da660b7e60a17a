# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.storefront`."""

from __future__ import annotations

from functools import cached_property

from pannier_client.resources.storefront.addresses import (
    AsyncStorefrontAddresses,
    StorefrontAddresses,
)
from pannier_client.resources.storefront.customers import (
    AsyncStorefrontCustomers,
    StorefrontCustomers,
)
from pannier_client.resources.storefront.service_quotes import (
    AsyncStorefrontServiceQuotes,
    StorefrontServiceQuotes,
)
from pannier_client.transport import AsyncTransport, Transport


class Storefront:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    @cached_property
    def addresses(self) -> StorefrontAddresses:
        return StorefrontAddresses(self._transport)

    @cached_property
    def customers(self) -> StorefrontCustomers:
        return StorefrontCustomers(self._transport)

    @cached_property
    def service_quotes(self) -> StorefrontServiceQuotes:
        return StorefrontServiceQuotes(self._transport)


class AsyncStorefront:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    @cached_property
    def addresses(self) -> AsyncStorefrontAddresses:
        return AsyncStorefrontAddresses(self._transport)

    @cached_property
    def customers(self) -> AsyncStorefrontCustomers:
        return AsyncStorefrontCustomers(self._transport)

    @cached_property
    def service_quotes(self) -> AsyncStorefrontServiceQuotes:
        return AsyncStorefrontServiceQuotes(self._transport)
