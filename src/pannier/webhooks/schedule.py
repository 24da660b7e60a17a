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


def decide_next(
    answer: AttemptResult, retries: int, ended: datetime, *, is_second_try: bool = False
) -> NextStep:
    """Decide how a delivery continues after an attempt.

    `is_second_try` means that an attempt on a stale connection was forgiven before.
    """
    if answer.outcome == "succeeded":
        return NextStep("succeeded", retries, ended)
    if answer.outcome == "interrupted" or (answer.stale and not is_second_try):
        # Not the receiver's fault, so it uses up no retry.
        return NextStep("pending", retries, ended)
    if answer.outcome == "internal":
        # A defect of Pannier: it uses up no retry either, but needs time to be fixed.
        return NextStep("pending", retries, ended + DELAYS[0])
    if retries >= len(DELAYS):
        return NextStep("failed", retries, ended)
    return NextStep("pending", retries + 1, ended + _retry_delay(answer, retries, ended))


def _retry_delay(answer: AttemptResult, retries: int, ended: datetime) -> timedelta:
    """Return the delay. `Retry-After` may extend it up to the next delay of the schedule."""
    step = DELAYS[retries]
    if answer.status not in RETRY_AFTER_STATUSES or answer.retry_after is None:
        return step
    longest = DELAYS[min(retries + 1, len(DELAYS) - 1)]
    return min(max(step, _parse_retry_after(answer.retry_after, ended)), longest)


def _parse_retry_after(text: str, now: datetime) -> timedelta:
    """Parse `Retry-After`, in seconds or as a date. Return zero if it is neither."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        # The value is capped at the longest delay. A number of many digits would overflow.
        return min(timedelta(seconds=int(text[:9])), DELAYS[-1]) if text else timedelta()
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError, OverflowError):
        return timedelta()
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now
