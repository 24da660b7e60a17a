"""Prometheus metrics, summed up over the processes of one `pannier serve`."""

import asyncio
import fcntl
import itertools
import os
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import asyncpg
import msgspec
from prometheus_client import REGISTRY as PROCESS
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
    values,
)
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.values import MultiProcessValue

from pannier.db import Database, Db
from pannier.db.connection_pool import DRIVER_ERRORS
from pannier.db.database import TRANSIENT_ERRORS
from pannier.errors import Unauthenticated, Unavailable
from pannier.kit import crypto
from pannier.kit.crypto import Keyring

# Updates metrics from the current content of the database.
CountRefresh: TypeAlias = Callable[[Db], Awaitable[None]]
FOLDER_VARIABLE: Final = "PROMETHEUS_MULTIPROC_DIR"  # shared by the processes of one `serve`
MEDIA_TYPE: Final = "text/plain; version=0.0.4"
TOKEN_PREFIX: Final = "mtr_"  # noqa: S105 - a prefix
# The label of each method: a HEAD counts as a GET, and any method not listed as "other".
METHOD_LABELS: Final = {
    name: name for name in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
} | {"HEAD": "GET"}
# Maximum of each count, so that a scrape stays cheap with a large backlog.
MAX_COUNTED: Final = 10_000
# Maximum time that a scrape waits for the database. Prometheus times out after 10 seconds.
COUNT_TIMEOUT_SECONDS: Final = 3.0
# The areas of the application; all other paths are in the area "/".
AREA_PATTERN: Final = re.compile(
    r"/(?:v1|int/v1|storefront/v1|console|driver|ingest|payments|docs|t)\b"
)
# A screen of the console, such as `/console/orders`.
SCREEN_PATTERN: Final = re.compile(r"/console/[a-z-]+")


def claim_slot(folder: str) -> int:
    """Claim a number for the metric files of this process, until it ends.

    The next process with this number continues the files. With the library's default, files by
    process id, every restart would leave files behind, and each scrape would read all of them.
    """
    return next(slot for slot in itertools.count(1) if _try_lock(f"{folder}/{slot}.lock"))


def _try_lock(path: str) -> bool:
    """Lock a file until this process ends; return False if another process has locked it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return False
    return True


if FOLDER_VARIABLE in os.environ:
    _slot = claim_slot(os.environ[FOLDER_VARIABLE])
    values.ValueClass = MultiProcessValue(lambda: _slot)  # type: ignore[no-untyped-call]  # the library's own annotation is missing

# There are about 650 endpoints. With a histogram for each, a scrape would be a megabyte. So the
# histogram is per area, durations per route are only summed, and statuses are counted per class.
disable_created_metrics()  # type: ignore[no-untyped-call]  # as above
_requests = Counter("pannier_http_requests", "Requests answered.", ["method", "route", "status"])
_route_seconds = Counter(
    "pannier_http_route_seconds", "Time spent on a route's requests, in seconds.", ["route"]
)
_seconds = Histogram(
    "pannier_http_request_seconds",
    "Time from the first byte of a request to the end of its answer.",
    ["area"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)


class _Backlog(msgspec.Struct):
    waiting: int
    since: datetime | None


def make_gauge(name: str, description: str, *labels: str) -> Gauge:
    """Make a gauge of a value in the database, which is the same for every process."""
    return Gauge(name, description, labels, multiprocess_mode="mostrecent")


def make_backlog_refresh(query: str, row_count: Gauge, oldest: Gauge) -> CountRefresh:
    """Make a refresh of two gauges: the size of a backlog, and the age of its oldest row."""

    async def refresh(db: Db) -> None:
        backlog = await db.get(_Backlog, query)
        row_count.set(backlog.waiting)
        oldest.set(age_seconds(db, backlog.since))

    return refresh


def age_seconds(db: Db, since: datetime | None) -> float:
    """Return the seconds since a time; 0 without one."""
    return 0.0 if since is None else max((db.now - since).total_seconds(), 0.0)


def observe(method: str, route: str, status: int, seconds: float) -> None:
    """Count a request and record its duration."""
    # Invented methods must not create new series.
    series = _get_series(METHOD_LABELS.get(method, "other"), route, status // 100)
    series.requests.inc()
    series.route_seconds.inc(seconds)
    series.seconds.observe(seconds)


class _Series(NamedTuple):
    requests: Counter
    route_seconds: Counter
    seconds: Histogram


@lru_cache(maxsize=4096)
def _get_series(method: str, route: str, status_class: int) -> _Series:
    area = AREA_PATTERN.match(route)
    # Pages of one screen count together, because a series for each would be most of the metrics.
    screen = SCREEN_PATTERN.match(route)
    route = screen[0] if screen else route
    return _Series(
        _requests.labels(method, route, f"{status_class}xx"),
        _route_seconds.labels(route),
        _seconds.labels(area[0] if area else "/"),
    )


async def refresh_counts(db: Db, refreshes: Iterable[CountRefresh]) -> None:
    """Refresh the metrics that are counted in the database."""
    for refresh in refreshes:
        await refresh(db)


class Exposition:
    """The metrics in Prometheus's format, cached and rendered in a thread."""

    def __init__(self, refreshes: Sequence[CountRefresh], seconds: float) -> None:
        self._refreshes, self._seconds = refreshes, seconds
        self._page, self._fresh_until = b"", 0.0
        self._render_lock = asyncio.Lock()
        self._refresh_task: asyncio.Task[None] | None = None

    async def read(self, database: Database | None) -> bytes:
        """Return the metrics from the cache, or render them once for all concurrent callers.

        If the database does not respond in time, the previous counts stay.
        """
        async with self._render_lock:
            if time.monotonic() >= self._fresh_until:
                if database is not None:
                    await self._refresh_with_timeout(database)
                self._page = await asyncio.to_thread(render)
                self._fresh_until = time.monotonic() + self._seconds
            return self._page

    async def _refresh_with_timeout(self, database: Database) -> None:
        """Refresh the counts. A slow refresh continues in the background; only one runs."""
        if self._refresh_task is None:
            self._refresh_task = asyncio.create_task(self._refresh_counts(database))
        finished_tasks, _ = await asyncio.wait({self._refresh_task}, timeout=COUNT_TIMEOUT_SECONDS)
        if finished_tasks:
            self._refresh_task = None
            finished_tasks.pop().result()

    async def _refresh_counts(self, database: Database) -> None:
        with suppress(
            Unavailable, *TRANSIENT_ERRORS, *DRIVER_ERRORS, asyncpg.PostgresError, OSError
        ):
            async with database.reading() as db:
                await refresh_counts(db, self._refreshes)


def render() -> bytes:
    if FOLDER_VARIABLE not in os.environ:
        return generate_latest(PROCESS)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the library's own annotation is missing
    return generate_latest(registry)


def make_token(keyring: Keyring, version: int) -> str:
    """Return the bearer token for the metrics. Each version has a different token."""
    return TOKEN_PREFIX + keyring.key(_purpose(version)).hex()


def check_token(authorization: bytes, keyring: Keyring, version: int) -> None:
    """Raise Unauthenticated unless the Authorization header has the metrics token."""
    scheme, _, sent_token = authorization.partition(b" ")
    valid_tokens = [
        TOKEN_PREFIX.encode() + key.hex().encode() for key in keyring.keys(_purpose(version))
    ]
    if scheme.lower() != b"bearer" or not crypto.contains(valid_tokens, sent_token.strip()):
        raise Unauthenticated(
            "This route takes the metrics token (`mtr_…`) that `pannier metrics token` prints. "
            "Send it as `Authorization: Bearer …`."
        )


def _purpose(version: int) -> str:
    return f"metrics token {version}"
