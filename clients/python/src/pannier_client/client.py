"""The clients. Their resources are generated from the OpenAPI document."""

from types import TracebackType
from typing import Self

import httpx

from pannier_client.resources import AsyncResources, Resources
from pannier_client.retries import RetryPolicy
from pannier_client.transport import (
    DEFAULT_RETRY,
    DEFAULT_TIMEOUT,
    AsyncTransport,
    Connection,
    Transport,
)


class Client(Resources):
    """Calls an installation of Pannier. Threads can share it.

    `key` is an API key, a storefront key, or the token of a driver or an operator. Requests of a
    signed-in customer of a store also carry the `customer_token`. `http` can be an `httpx.Client`
    with your own proxy or certificates; then you close it.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        customer_token: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        retry: RetryPolicy = DEFAULT_RETRY,
        http: httpx.Client | None = None,
    ) -> None:
        connection = Connection(url, key, customer_token, timeout, retry)
        super().__init__(Transport(connection, httpx.Client() if http is None else http))
        self._owns_http = http is None

    def close(self) -> None:
        """Close the connections."""
        if self._owns_http:
            self._transport.http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncClient(AsyncResources):
    """Calls an installation of Pannier with asyncio. See `Client` for the arguments."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        customer_token: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        retry: RetryPolicy = DEFAULT_RETRY,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        connection = Connection(url, key, customer_token, timeout, retry)
        super().__init__(AsyncTransport(connection, httpx.AsyncClient() if http is None else http))
        self._owns_http = http is None

    async def close(self) -> None:
        """Close the connections."""
        if self._owns_http:
            await self._transport.http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
