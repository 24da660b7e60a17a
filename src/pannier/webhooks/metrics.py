"""What Prometheus learns of attempts; what waits is counted where it stands."""

from typing import Final

from prometheus_client import Counter, Histogram

from pannier.webhooks.models import Answer, DeliveryState

# States that a delivery is still to leave.
WAITING: Final = frozenset({"pending", "sending", "held"})

_attempts = Counter("pannier_webhook_attempts", "Attempts that have ended.", ["outcome"])
_seconds = Histogram(
    "pannier_webhook_attempt_seconds",
    "Time from an attempt's beginning to its end.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
_ended = Counter("pannier_webhook_deliveries", "Deliveries that have ended.", ["state"])


def attempt(answer: Answer) -> None:
    """Count an attempt that has ended."""
    _attempts.labels(answer.outcome).inc()
    _seconds.observe(answer.phases.get("total", 0.0) / 1000)


def ended(state: DeliveryState, count: int = 1) -> None:
    """Count deliveries that have come to their end."""
    if state not in WAITING:
        _ended.labels(state).inc(count)
