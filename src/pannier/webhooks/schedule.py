"""The retry schedule of deliveries."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final, NamedTuple

from pannier.webhooks.models import AttemptResult, DeliveryState

# Counted from the end of the failed attempt.
DELAYS: Final = (
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=8),
)
# Statuses for which `Retry-After` is respected.
RETRY_AFTER_STATUSES: Final = frozenset({429, 503})
GONE: Final = 410


class NextStep(NamedTuple):
    """The state of a delivery after an attempt."""

    state: DeliveryState
    retries: int
    due_at: datetime


def decide_next_step(
    result: AttemptResult, retries: int, ended_at: datetime, *, is_second_try: bool = False
) -> NextStep:
    """Decide how a delivery continues after an attempt.

    `is_second_try` means that the previous attempt met a stale connection and was not counted.
    """
    if result.outcome == "succeeded":
        return NextStep("succeeded", retries, ended_at)
    if result.outcome == "interrupted" or (result.stale and not is_second_try):
        # Not the receiver's fault, so it uses up no retry.
        return NextStep("pending", retries, ended_at)
    if result.outcome == "internal":
        # A defect of Pannier: it uses up no retry either, but needs time to be fixed.
        return NextStep("pending", retries, ended_at + DELAYS[0])
    if retries >= len(DELAYS):
        return NextStep("failed", retries, ended_at)
    return NextStep("pending", retries + 1, ended_at + _find_retry_delay(result, retries, ended_at))


def _find_retry_delay(result: AttemptResult, retries: int, ended_at: datetime) -> timedelta:
    """Return the delay. `Retry-After` may extend it up to the next delay of the schedule."""
    scheduled_delay = DELAYS[retries]
    if result.status not in RETRY_AFTER_STATUSES or result.retry_after is None:
        return scheduled_delay
    max_delay = DELAYS[min(retries + 1, len(DELAYS) - 1)]
    return min(max(scheduled_delay, _parse_retry_after(result.retry_after, ended_at)), max_delay)


def _parse_retry_after(text: str, now: datetime) -> timedelta:
    """Parse `Retry-After`, in seconds or as a date. Return zero if it is neither."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        # The value is capped at the longest delay. A number of many digits would overflow.
        return min(timedelta(seconds=int(text[:9])), DELAYS[-1]) if text else timedelta()
    try:
        retry_time = parsedate_to_datetime(text)
    except (ValueError, IndexError, OverflowError):
        return timedelta()
    return (retry_time if retry_time.tzinfo else retry_time.replace(tzinfo=UTC)) - now
