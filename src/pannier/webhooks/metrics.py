"""What Prometheus learns of deliveries."""

from datetime import datetime
from typing import Final

import msgspec
from prometheus_client import Counter, Gauge, Histogram

from pannier.db import Database
from pannier.webhooks.models import Answer, DeliveryState

EVERY: Final = 5.0
# States that a delivery is still to leave: they are counted where they stand.
WAITING: Final = ("pending", "sending", "held")

_attempts = Counter("pannier_webhook_attempts", "Attempts that have ended.", ["outcome"])
_seconds = Histogram(
    "pannier_webhook_attempt_seconds",
    "Time from an attempt's beginning to its end.",
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)
_ended = Counter("pannier_webhook_deliveries", "Deliveries that have ended.", ["state"])
_standing = Gauge(
    "pannier_webhook_deliveries_waiting",
    "Deliveries that have not ended, of the whole installation.",
    ["state"],
    multiprocess_mode="mostrecent",
)
_oldest = Gauge(
    "pannier_webhook_oldest_due_seconds",
    "How long the delivery that has been due longest has waited.",
    multiprocess_mode="mostrecent",
)
_in_flight = Gauge(
    "pannier_webhook_in_flight",
    "Attempts on their way, of the workers of this machine.",
    multiprocess_mode="livesum",
)


class _Standing(msgspec.Struct):
    pending: int
    sending: int
    held: int
    oldest: datetime | None


def attempt(answer: Answer) -> None:
    """Count an attempt that has ended."""
    _attempts.labels(answer.outcome).inc()
    _seconds.observe(answer.phases.get("total", 0.0) / 1000)


def ended(state: DeliveryState) -> None:
    """Count a delivery that has come to its end."""
    if state not in WAITING:
        _ended.labels(state).inc()


def in_flight(number: int) -> None:
    """Tell how many attempts are on their way."""
    _in_flight.set(number)


async def step(database: Database) -> bool:
    """Count what stands where."""
    async with database.reading() as db:
        found = await db.one(
            _Standing,
            """select
                (select count(*) from webhook_deliveries where state = 'pending') as pending,
                (select count(*) from webhook_deliveries where state = 'sending') as sending,
                (select count(*) from webhook_deliveries where state = 'held') as held,
                (select min(due_at) from webhook_deliveries where state = 'pending') as oldest""",
        )
    for state in WAITING:
        _standing.labels(state).set(getattr(found, state))
    age = (db.now - found.oldest).total_seconds() if found.oldest else 0.0
    _oldest.set(max(age, 0.0))
    return False
