"""Prometheus metrics of device events."""

from typing import Final

from prometheus_client import Counter

from pannier.web.metrics import COUNTED, backlog, gauge

# Number of flushes whose effects are deferred, and the time of the oldest.
PUT_OFF: Final = f"""
    select count(*) as waiting, min(received_at) as since
    from (select received_at from device_put_off order by batch limit {COUNTED}) counted"""

_put_off = gauge(
    "pannier_device_put_off",
    "Flushes of device events whose effects are deferred, of the whole installation; counted up to "
    "10,000.",
)
_oldest = gauge(
    "pannier_device_put_off_oldest_seconds", "Age of the oldest flush whose effects are deferred."
)
count: Final = backlog(PUT_OFF, _put_off, _oldest)
_strays = gauge(
    "pannier_device_events_in_default_partitions",
    "Device events in default partitions, until the worker moves them.",
)
_dropped = Counter(
    "pannier_device_alerts_dropped",
    "Alerts beyond the hourly limit of their device, which were not recorded.",
)


def count_dropped_alerts(number: int) -> None:
    """Count alerts beyond a device's hourly limit."""
    _dropped.inc(number)


def observe_strays(number: int) -> None:
    """Set the gauge of events in default partitions."""
    _strays.set(number)
