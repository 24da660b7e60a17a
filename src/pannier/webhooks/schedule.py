"""When a delivery is tried again, and when it has failed."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final, NamedTuple

from pannier.webhooks.models import Answer, DeliveryState

# Counted from the end of the attempt that failed.
DELAYS: Final = (
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=8),
)
# Answers whose `Retry-After` we heed.
PATIENT: Final = frozenset({429, 503})
GONE: Final = 410


class Next(NamedTuple):
    """What becomes of a delivery after an attempt."""

    state: DeliveryState
    retries: int
    due_at: datetime


def following(answer: Answer, retries: int, ended: datetime, *, again: bool = False) -> Next:
    """Decide what becomes of a delivery whose attempt has come to its end.

    `again` tells that a stale connection has been forgiven once already.
    """
    if answer.outcome == "succeeded":
        return Next("succeeded", retries, ended)
    if answer.outcome == "interrupted" or (answer.stale and not again):
        # Not the receiver's fault: it costs no retry.
        return Next("pending", retries, ended)
    if answer.outcome == "internal":
        # Ours: it costs no retry either, but what is broken needs time to be mended.
        return Next("pending", retries, ended + DELAYS[0])
    if retries >= len(DELAYS):
        return Next("failed", retries, ended)
    return Next("pending", retries + 1, ended + _delay(answer, retries, ended))


def _delay(answer: Answer, retries: int, ended: datetime) -> timedelta:
    """Choose the step; a receiver may ask for a longer one, up to the step after it."""
    step = DELAYS[retries]
    if answer.status not in PATIENT or answer.retry_after is None:
        return step
    longest = DELAYS[min(retries + 1, len(DELAYS) - 1)]
    return min(max(step, _wish(answer.retry_after, ended)), longest)


def _wish(text: str, now: datetime) -> timedelta:
    """Read a `Retry-After`: seconds, or a date; nothing when it is neither."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        # Longer than any step is as good as the longest; a number of many digits would overflow.
        return min(timedelta(seconds=int(text[:9])), DELAYS[-1]) if text else timedelta()
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, IndexError, OverflowError):
        return timedelta()
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now
