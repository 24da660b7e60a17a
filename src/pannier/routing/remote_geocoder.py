"""A client of a geocoding service that the operator runs."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

import msgspec

from pannier.kit.cache import Cache
from pannier.kit.clock import Clock
from pannier.kit.geo import Point
from pannier.routing.breaker import CircuitBreaker
from pannier.routing.geocoder_protocols import GeocoderProtocol, Request
from pannier.routing.geocoding import (
    GeocodeQuery,
    GeocodeResult,
    GeocoderUnavailable,
    Name,
    make_public_queue,
)
from pannier.web.http_client import HttpClient, HttpClientError, HttpClientResponse
from pannier.web.logs import log

OK_STATUS: Final = 200
# Statuses of a geocoder that works but cannot use the query.
NO_RESULT_STATUSES: Final = frozenset({400, 404, 414})
MAX_CONCURRENT_CALLS: Final = 4
# Maximum wait for other calls. A person who types sends a new query with the next letter.
MAX_WAIT_SECONDS: Final = 1.0
# Answers are cached for up to ten minutes, because people repeat and correct what they type.
CACHE_SECONDS: Final = 600
MAX_CACHED_ANSWERS: Final = 2000
Parsed = TypeVar("Parsed")


class RemoteGeocoder:
    """A client of a geocoding service. Never call it inside a transaction."""

    def __init__(
        self,
        http_client: HttpClient,
        url: str,
        protocol: GeocoderProtocol,
        clock: Clock,
        *,
        timeout_seconds: float = 3.0,
        max_wait_seconds: float = MAX_WAIT_SECONDS,
    ) -> None:
        self.name: Name = protocol.name
        self._http_client, self._url, self._protocol = http_client, url, protocol
        self._breaker, self._timeout_seconds = CircuitBreaker(clock), timeout_seconds
        self._max_wait_seconds = max_wait_seconds
        self._slots, self._clock = asyncio.Semaphore(MAX_CONCURRENT_CALLS), clock
        self.public_searches = make_public_queue()
        # Each answer is in a tuple, because None is a valid answer.
        self._answers: Cache[object, tuple[Any]] = Cache(MAX_CACHED_ANSWERS)

    @property
    def is_unavailable(self) -> bool:
        """Whether the circuit breaker is open."""
        return self._breaker.is_open

    async def find(self, query: GeocodeQuery) -> Sequence[GeocodeResult]:
        """Find addresses, best first. An empty result is a valid answer."""
        query = msgspec.structs.replace(query, country=query.country or query.home)
        request = self._protocol.build_request(query)
        no_results: list[GeocodeResult] = []
        results = await self._load_cached_result(request, self._protocol.parse_response, no_results)
        local_results = [address for address in results if query.country in {None, address.country}]
        return local_results[: query.limit]

    async def find_address(self, point: Point) -> GeocodeResult | None:
        """Return the address nearest to a point, or None."""
        request = self._protocol.build_reverse_request(point)
        return await self._load_cached_result(request, self._protocol.parse_reverse_response, None)

    async def _load_cached_result(
        self, request: Request, parse: Callable[[bytes], Parsed], no_result: Parsed
    ) -> Parsed:
        key, period = _to_cache_key(request), self._clock.now().timestamp() // CACHE_SECONDS
        result: tuple[Parsed] | None = self._answers.find(key, period)
        if result is None:
            result = (await self._request(request, parse, no_result),)
            self._answers.store(key, result, period)
        return result[0]

    async def _request(
        self, request: Request, parse: Callable[[bytes], Parsed], no_result: Parsed
    ) -> Parsed:
        if self._breaker.is_open:
            raise GeocoderUnavailable
        path, parameters = request
        async with self._take_slot():
            if not self._breaker.claim_call():
                raise GeocoderUnavailable
            try:
                async with asyncio.timeout(self._timeout_seconds):
                    response = await self._http_client.get(self._url + path, parameters)
                result = _parse_response(response, parse, no_result)
            except (HttpClientError, TimeoutError) as failure:
                self._breaker.record_failure()
                log.warning("geocoder failed", geocoder=self.name, kind=type(failure).__name__)
                raise GeocoderUnavailable from None
        self._breaker.record_success()
        return result

    @asynccontextmanager
    async def _take_slot(self) -> AsyncIterator[None]:
        """Wait for a slot. A timeout here is not a failure of the geocoder."""
        try:
            async with asyncio.timeout(self._max_wait_seconds):
                await self._slots.acquire()
        except TimeoutError:
            raise GeocoderUnavailable("Too many addresses are being searched.") from None
        try:
            yield
        finally:
            self._slots.release()


def _to_cache_key(request: Request) -> object:
    """Build a cache key that ignores case and repeated spaces."""
    path, parameters = request
    return path, *(" ".join(value.casefold().split()) for value in parameters.values()), *parameters


def _parse_response(
    response: HttpClientResponse, parse: Callable[[bytes], Parsed], no_result: Parsed
) -> Parsed:
    if response.status in NO_RESULT_STATUSES:
        return no_result
    if response.status != OK_STATUS:
        raise HttpClientError("The geocoder rejected the request.")
    try:
        return parse(response.body)
    except ValueError:
        # Coordinates outside the earth raise ValueError too.
        raise HttpClientError("The geocoder returned an invalid response.") from None
