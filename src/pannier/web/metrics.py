"""Prometheus metrics, added up over the processes of one installation."""

import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from prometheus_client import REGISTRY as PROCESS
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
# How far what waits is counted: anybody who passes may have us count.
COUNTED: Final = 10_000
# How much recipients are still to be told, and since when; it goes from company to company by the
# index.
NEWS: Final = f"""
    with recursive waiting as (
        (select company, event from news_queue order by company, position limit 1)
        union all
        select next.company, next.event from waiting cross join lateral (
            select company, event from news_queue where company > waiting.company
            order by company, position limit 1) next),
    oldest as (select event from waiting limit {COUNTED})
    select (select count(*) from (select from news_queue limit {COUNTED}) counted) as waiting,
        (select min(created_at) from oldest join events on uuid = event) as since"""
# Of how many flushes of device events is still to be noted what they say of the present, and since
# when.
PUT_OFF: Final = f"""
    select count(*) as waiting, min(received_at) as since
    from (select received_at from device_put_off order by batch limit {COUNTED}) counted"""

_requests = Counter("pannier_http_requests", "Requests answered.", ["method", "route", "status"])
_seconds = Histogram(
    "pannier_http_request_seconds",
    "Time from the first byte of a request to the end of its answer.",
    ["route"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
)

_waiting = Gauge(
    "pannier_webhook_deliveries_waiting",
    "Deliveries that have not ended, of the whole installation; counted up to 10,000.",
    ["state"],
    multiprocess_mode="mostrecent",
)
_oldest_due = Gauge(
    "pannier_webhook_oldest_due_seconds",
    "How long the delivery that has been due longest has waited.",
    multiprocess_mode="mostrecent",
)

_parked = Gauge(
    "pannier_parked",
    "Pieces of background work that failed and were set aside.",
    multiprocess_mode="mostrecent",
)


_strays = Gauge(
    "pannier_device_events_in_default_partitions",
    "Device events for which there was no partition yet; the worker moves them.",
    multiprocess_mode="mostrecent",
)

_news_waiting = Gauge(
    "pannier_news_waiting",
    "Events of which recipients are still to be told, of the whole installation; counted up to "
    "10,000.",
    multiprocess_mode="mostrecent",
)
_oldest_news = Gauge(
    "pannier_news_oldest_seconds",
    "How long ago the oldest of the events happened of which recipients are still to be told.",
    multiprocess_mode="mostrecent",
)
_put_off = Gauge(
    "pannier_device_put_off",
    "Flushes of device events of which is still to be noted what they say of the present, of the "
    "whole installation; counted up to 10,000.",
    multiprocess_mode="mostrecent",
)
_oldest_put_off = Gauge(
    "pannier_device_put_off_oldest_seconds",
    "How long ago the oldest of those flushes came in.",
    multiprocess_mode="mostrecent",
)


def observe(method: str, route: str, status: int, seconds: float) -> None:
    """Count a request."""
    # A caller may make methods up, but not series.
    counter, histogram = _children(method if method in METHODS else "other", route, status)
    counter.inc()
    histogram.observe(seconds)


@lru_cache(maxsize=4096)
def _children(method: str, route: str, status: int) -> tuple[Counter, Histogram]:
    return _requests.labels(method, route, str(status)), _seconds.labels(route)


def observe_deliveries(waiting: Mapping[str, int], oldest_due: float) -> None:
    """Take over what stands in the database at this moment."""
    for state, number in waiting.items():
        _waiting.labels(state).set(number)
    _oldest_due.set(oldest_due)


def observe_parked(number: int) -> None:
    """Take over how much is parked at this moment."""
    _parked.set(number)


def observe_strays(number: int) -> None:
    """Take over how many device events lie where no partition was made for them."""
    _strays.set(number)


def observe_news(waiting: int, oldest: float) -> None:
    """Take over how much recipients are still to be told at this moment."""
    _news_waiting.set(waiting)
    _oldest_news.set(oldest)


def observe_put_off(waiting: int, oldest: float) -> None:
    """Take over how much of what devices said is not noted yet at this moment."""
    _put_off.set(waiting)
    _oldest_put_off.set(oldest)


def exposition() -> bytes:
    """Spell all metrics for Prometheus."""
    if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
        return generate_latest(PROCESS)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]  # the library's own annotation is missing
    return generate_latest(registry)
