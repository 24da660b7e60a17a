"""Prometheus metrics of device events."""

from typing import Final

from prometheus_client import Counter

from pannier.web.metrics import MAX_COUNTED, make_backlog_refresh, make_gauge

# Number of flushes whose effects are deferred, and the time of the oldest.
DEFERRED: Final = f"""
    select count(*) as waiting, min(received_at) as since
    from (select received_at from device_put_off order by batch limit {MAX_COUNTED}) counted"""

_deferred = make_gauge(
    "pannier_device_put_off",
    "Flushes of device events whose effects are deferred, of the whole installation; counted up to "
    "10,000.",
)
_oldest_deferred = make_gauge(
    "pannier_device_put_off_oldest_seconds", "Age of the oldest flush with deferred effects."
)
count: Final = make_backlog_refresh(DEFERRED, _deferred, _oldest_deferred)
_unpartitioned = make_gauge(
    "pannier_device_events_in_default_partitions",
    "Device events in default partitions, until the worker moves them.",
)
_dropped_alerts = Counter(
    "pannier_device_alerts_dropped",
    "Alerts beyond the hourly limit of their device, which were not recorded.",
)


def count_dropped_alerts(number: int) -> None:
    """Count alerts beyond a device's hourly limit."""
    _dropped_alerts.inc(number)


def observe_unpartitioned_events(number: int) -> None:
    """Set the gauge of events in default partitions."""
    _unpartitioned.set(number)
