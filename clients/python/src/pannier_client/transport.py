"""Sends requests, and repeats those that fail on the way."""

import asyncio
import time
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import httpx

from pannier_client.pages import AsyncPages, Pages
from pannier_client.problem import NoResponseError
from pannier_client.requests import (
    OMITTED,
    Options,
    Request,
    build_request,
    describe_client,
    raise_problem,
    read_json,
)
from pannier_client.retries import RETRIED_ERRORS, RetryPolicy, read_retry_after, should_retry

DEFAULT_TIMEOUT: Final = 30.0
DEFAULT_RETRY: Final = RetryPolicy()
Query: TypeAlias = Mapping[str, object]


class Connection:
    """What both transports share: the address, the credentials and the retry policy."""

    def __init__(
        self,
        url: str,
        key: str | None,
        customer_token: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        retry: RetryPolicy = DEFAULT_RETRY,
    ) -> None:
        self.url = url.rstrip("/")
        self.timeout = timeout
        self.retry = retry
        self.headers = {"User-Agent": describe_client(), "Accept": "*/*"}
        if key is not None:
            self.headers["Authorization"] = f"Bearer {key}"
        if customer_token is not None:
            self.headers["Customer-Token"] = customer_token

    def build(self, http: httpx.Client | httpx.AsyncClient, request: Request) -> httpx.Request:
        """Build an attempt of a request."""
        return http.build_request(
            request.method,
            f"{self.url}{request.path}",
            content=request.content,
            headers={**self.headers, **request.headers},
            timeout=self.timeout if request.timeout is None else request.timeout,
        )

    def find_delay(
        self, request: Request, retries: int, response: httpx.Response | None
    ) -> float | None:
        """Return the seconds before the next attempt, or None if this one counts."""
        if response is not None and not should_retry(response):
            return None
        retry_after = None if response is None else read_retry_after(response)
        return self.retry.find_delay(retries, retry_after, request.max_retries)


class Transport:
    """Sends the requests of `Client`."""

    def __init__(self, connection: Connection, http: httpx.Client) -> None:
        self.connection = connection
        self.http = http

    def send(self, request: Request) -> httpx.Response:
        """Send a request until it gets a response that counts."""
        retries = 0
        while True:
            response, failure = None, None
            try:
                response = self.http.send(self.connection.build(self.http, request))
            except RETRIED_ERRORS as error:
                failure = error
            delay = self.connection.find_delay(request, retries, response)
            if delay is None:
                if response is None:
                    raise NoResponseError(retries + 1, request.idempotency_key) from failure
                return response
            time.sleep(delay)
            retries += 1

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: object = OMITTED,
        options: Options | None = None,
    ) -> Any:  # noqa: ANN401 - the generated methods declare the type
        """Send a request and return the JSON of its response."""
        request = build_request(method, path, query=query, body=body, options=options)
        return read_json(self.send(request))

    def download(
        self,
        path: str,
        *,
        query: Query | None = None,
        body: object = OMITTED,
        options: Options | None,
    ) -> bytes:
        """Return the content of a file. A body says what it contains."""
        method = "GET" if body is OMITTED else "POST"
        response = self.send(build_request(method, path, query=query, body=body, options=options))
        raise_problem(response)
        return response.content

    def list_pages(self, path: str, *, query: Query, options: Options | None) -> Pages[Any]:
        """Return a list whose pages are loaded on demand."""

        def fetch(cursor: str | None) -> httpx.Response:
            asked = query if cursor is None else {**query, "cursor": cursor}
            return self.send(build_request("GET", path, query=asked, options=options))

        return Pages(fetch)


class AsyncTransport:
    """Sends the requests of `AsyncClient`."""

    def __init__(self, connection: Connection, http: httpx.AsyncClient) -> None:
        self.connection = connection
        self.http = http

    async def send(self, request: Request) -> httpx.Response:
        """Send a request until it gets a response that counts."""
        retries = 0
        while True:
            response, failure = None, None
            try:
                response = await self.http.send(self.connection.build(self.http, request))
            except RETRIED_ERRORS as error:
                failure = error
            delay = self.connection.find_delay(request, retries, response)
            if delay is None:
                if response is None:
                    raise NoResponseError(retries + 1, request.idempotency_key) from failure
                return response
            await asyncio.sleep(delay)
            retries += 1

    async def call(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: object = OMITTED,
        options: Options | None = None,
    ) -> Any:  # noqa: ANN401 - the generated methods declare the type
        """Send a request and return the JSON of its response."""
        request = build_request(method, path, query=query, body=body, options=options)
        return read_json(await self.send(request))

    async def download(
        self,
        path: str,
        *,
        query: Query | None = None,
        body: object = OMITTED,
        options: Options | None,
    ) -> bytes:
        """Return the content of a file. A body says what it contains."""
        method = "GET" if body is OMITTED else "POST"
        request = build_request(method, path, query=query, body=body, options=options)
        response = await self.send(request)
        raise_problem(response)
        return response.content

    def list_pages(self, path: str, *, query: Query, options: Options | None) -> AsyncPages[Any]:
        """Return a list whose pages are loaded on demand."""

        async def fetch(cursor: str | None) -> httpx.Response:
            asked = query if cursor is None else {**query, "cursor": cursor}
            return await self.send(build_request("GET", path, query=asked, options=options))

        return AsyncPages(fetch)
