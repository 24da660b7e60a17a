"""Our own geocoder: it searches the address index of the city in use.

A city can come into use or change while Pannier runs. Searches run in one thread of each process,
so that they never hold up its event loop.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, TypeVar

from pannier.errors import SetupError
from pannier.kit.geo import Point
from pannier.maps.address_index import AddressIndex, SearchTooSlow
from pannier.maps.address_nearby import find_address
from pannier.maps.address_results import IndexedAddress
from pannier.maps.address_search import AddressQuery, search_addresses
from pannier.maps.folder import MapFolder
from pannier.routing.geocoding import (
    GeocodeQuery,
    GeocodeResult,
    GeocoderUnavailable,
    Name,
    make_public_queue,
)
from pannier.web.logs import log

TIMEOUT_SECONDS: Final = 3.0
# Searches that wait for the thread. Each takes milliseconds, and a quarter of a second at most.
MAX_WAITING: Final = 32
FileIdentity = tuple[str, int, int]
Answer = TypeVar("Answer")


class CityAddresses:
    """The address index of the city in use. It is reopened when the city changes."""

    def __init__(self, maps: MapFolder) -> None:
        self._maps = maps
        self._identity: FileIdentity | None = None
        self._index: AddressIndex | None = None

    def find_file(self) -> Path | None:
        """Return the file of the city in use, or None."""
        city = self._maps.find_current_city()
        return None if city is None or not city.addresses.is_file() else city.addresses

    def open(self) -> AddressIndex | None:
        """Return the index, or None. Only the search thread may call this."""
        path = self.find_file()
        identity = None if path is None else _identify_file(path)
        if identity != self._identity:
            self._identity = identity
            if self._index is not None:
                self._index.close()
            self._index = None if path is None else _open_index(path)
        return self._index


class EmbeddedGeocoder:
    """A geocoder that searches the address index of the city in use."""

    name: Name = "embedded"

    def __init__(self, maps: MapFolder) -> None:
        self._addresses = CityAddresses(maps)
        self._thread = ThreadPoolExecutor(1, "addresses")
        self._waiting = 0
        self.public_searches = make_public_queue()

    @property
    def is_unavailable(self) -> bool:
        """Whether no city is in use, or it has no addresses."""
        return self._addresses.find_file() is None

    async def find(self, query: GeocodeQuery) -> Sequence[GeocodeResult]:
        """Find addresses, best first."""
        search_query = AddressQuery(
            text=query.text if query.address is None else query.address,
            near=query.near,
            country=query.country,
            limit=query.limit,
            is_strict=query.address is not None,
        )
        addresses = await self._run_search(lambda index: search_addresses(index, search_query))
        return list(map(_to_result, addresses))

    async def find_address(self, point: Point) -> GeocodeResult | None:
        """Return the address nearest to a point, or None."""
        address = await self._run_search(lambda index: find_address(index, point))
        return None if address is None else _to_result(address)

    async def _run_search(self, action: Callable[[AddressIndex], Answer]) -> Answer:
        if self._waiting >= MAX_WAITING:
            raise GeocoderUnavailable("Too many addresses are being searched.")
        self._waiting += 1
        future = asyncio.get_running_loop().run_in_executor(self._thread, self._search, action)
        future.add_done_callback(self._finish_search)
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                return await asyncio.shield(future)
        except (TimeoutError, SearchTooSlow):
            raise GeocoderUnavailable from None

    def _search(self, action: Callable[[AddressIndex], Answer]) -> Answer:
        index = self._addresses.open()
        if index is None:
            raise GeocoderUnavailable("No city with addresses is in use.")
        try:
            return action(index)
        except sqlite3.Error as error:
            log.error("address index is damaged", reason=str(error))
            raise GeocoderUnavailable from None

    def _finish_search(self, future: asyncio.Future[Answer]) -> None:
        self._waiting -= 1
        if not future.cancelled():
            future.exception()  # The caller may have stopped waiting.


def _open_index(path: Path) -> AddressIndex | None:
    try:
        return AddressIndex.open(path)
    except SetupError as error:
        log.error("address index cannot be used", reason=str(error))
        return None


def _identify_file(path: Path) -> FileIdentity | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return str(path), status.st_ino, status.st_mtime_ns


def _to_result(address: IndexedAddress) -> GeocodeResult:
    return GeocodeResult(
        point=address.point,
        quality=address.quality,
        name=address.name,
        street1=address.street1,
        city=address.city,
        postal_code=address.postal_code,
        country=address.country,
    )
