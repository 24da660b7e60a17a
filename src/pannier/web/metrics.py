"""Prometheus metrics, added up over the processes of one installation."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import Final, TypeAlias

import asyncpg
import msgspec
from prometheus_client import REGISTRY as PROCESS
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from pannier.db import Database, Db
from pannier.db.connections import CONFUSED
from pannier.db.pool import TRANSIENT
from pannier.errors import Unauthenticated, Unavailable
from pannier.kit import crypto
from pannier.kit.crypto import Keyring

# Takes over into the metrics what stands in the database at this moment.
Count: TypeAlias = Callable[[Db], Awaitable[None]]
MEDIA_TYPE: Final = "text/plain; version=0.0.4"
TOKEN_PREFIX: Final = "mtr_"  # noqa: S105 - how tokens begin
METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# How far what waits is counted: anybody who passes may have us count.
COUNTED: Final = 10_000

_requests = Counter("pannier_http_requests", "Requests answered.", ["method", "route", "status"])
_seconds = Histogram(
    "pannier_http_request_seconds",
    "Time from the first byte of a request to the end of its answer.",
    ["route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


class _Waiting(msgspec.Struct):
    waiting: int
    since: datetime | None


def gauge(name: str, said: str, *labels: str) -> Gauge:
    """Make a metric of what stands in the database, which is the same for every process."""
    return Gauge(name, said, labels, multiprocess_mode="mostrecent")


def backlog(query: str, waiting: Gauge, oldest: Gauge) -> Count:
    """Have what a query finds waiting taken over: how much it is, and how old the oldest."""

    async def count(db: Db) -> None:
        found = await db.one(_Waiting, query)
        waiting.set(found.waiting)
        oldest.set(age(db, found.since))

    return count


def age(db: Db, since: datetime | None) -> float:
    """Tell how many seconds ago a moment was; none is now."""
    return 0.0 if since is None else max((db.now - since).total_seconds(), 0.0)


def observe(method: str, route: str, status: int, seconds: float) -> None:
    """Count a request."""
    # A caller may make methods up, but not series.
    counter, histogram = _children(method if method in METHODS else "other", route, status)
    counter.inc()
    histogram.observe(seconds)


@lru_cache(maxsize=4096)
def _children(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    return _requests.labels(method, route, str(status)), _seconds.labels(route)


async def take_over(db: Db, counts: Iterable[Count]) -> None:
    """Count anew what stands in the database."""
    for count in counts:
        await count(db)


class Exposition:
    """The metrics as Prometheus reads them: rendered once in a while, beside the event loop."""

    def __init__(self, counts: Sequence[Count], seconds: float) -> None:
        self._counts, self._seconds = counts, seconds
        self._rendered, self._fresh_until = b"", 0.0
        self._rendering = asyncio.Lock()

    async def read(self, database: Database | None) -> bytes:
        """Return the metrics, at most so many seconds old; one caller renders for all.

        What the database does not tell just now stays as it was.
        """
        async with self._rendering:
            if time.monotonic() >= self._fresh_until:
                if database is not None:
                    with suppress(Unavailable, *TRANSIENT, *CONFUSED, asyncpg.PostgresError):
                        async with database.reading() as db:
                            await take_over(db, self._counts)
                self._rendered = await asyncio.to_thread(render)
                self._fresh_until = time.monotonic() + self._seconds
            return self._rendered


def render() -> bytes:
    """Render all metrics for Prometheus."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(PROCESS)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the library's own annotation is missing
    return generate_latest(registry)


def make_token(keyring: Keyring, version: int) -> str:
    """Return the bearer token that reads the metrics; another version makes another token."""
    return TOKEN_PREFIX + keyring.key(_purpose(version)).hex()


def check_token(authorization: bytes, keyring: Keyring, version: int) -> None:
    """Refuse a request whose Authorization header does not carry the metrics token."""
    scheme, _, offered = authorization.partition(b" ")
    ours = [TOKEN_PREFIX.encode() + key.hex().encode() for key in keyring.keys(_purpose(version))]
    if scheme.lower() != b"bearer" or not crypto.among(ours, offered.strip()):
        raise Unauthenticated(
            "Send `Authorization: Bearer …` with the token that `pannier metrics token` prints."
        )


def _purpose(version: int) -> str:
    return f"metrics token {version}"
