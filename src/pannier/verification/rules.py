"""Limits of one-time codes, and the rules that follow from them."""

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple

from pannier.accounts.company_settings.codes import Codes
from pannier.verification.models import Code

CodeChannel = Literal["sms", "email"]


class AttemptLimit(NamedTuple):
    """A maximum count within a time span."""

    max_count: int
    span: timedelta


CODE_DIGITS: Final = 6
DEFAULT_LIFETIMES: Final[Mapping[CodeChannel, timedelta]] = {
    "sms": timedelta(minutes=5),
    "email": timedelta(minutes=10),
}
MAX_LIFETIME: Final = timedelta(days=1)
MAX_VALID_CODES: Final = 3
RESEND_WAITS: Final = (
    timedelta(seconds=30),
    timedelta(seconds=60),
    timedelta(seconds=120),
    timedelta(seconds=300),
)

# A challenge continues for at most a day, and its last code lives at most a day. So all its wrong
# answers are still counted within the span of their limit.
MAX_CHALLENGE_AGE: Final = timedelta(days=1)
# Codes typed offline are checked up to three days later.
RETENTION: Final = timedelta(days=4)
# The code that test companies' test numbers and addresses accept.
TEST_CODE: Final = "000000"
# One part in this many of the shared budgets is reserved for known people.
RESERVED_FRACTION: Final = 5
# All known devices of a person together get this many times one device's limit.
DEVICES_PER_PERSON: Final = 3
# The window in which confirmations are counted, and the time a person may take to answer.
BREAKER_SPAN: Final = timedelta(hours=1)
ANSWER_TIME: Final = timedelta(minutes=2)

MINUTE: Final = timedelta(minutes=1)
_HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)
_IGNORED_CATEGORIES: Final = frozenset({"Pd", "Zs", "Cf", "Cc"})
_MAX_INPUT_LENGTH: Final = 64


def wrong_per_challenge(codes: Codes) -> AttemptLimit:
    """Return how many wrong answers end a challenge."""
    return AttemptLimit(codes.wrong_per_code, RETENTION)


def wrong_per_identity(codes: Codes) -> tuple[AttemptLimit, ...]:
    """Return how many wrong answers an identity may give across all purposes."""
    return AttemptLimit(codes.wrong_per_hour, _HOUR), AttemptLimit(codes.wrong_per_day, DAY)


def sends_per_identity(codes: Codes) -> tuple[AttemptLimit, ...]:
    return AttemptLimit(codes.sends_per_hour, _HOUR), AttemptLimit(codes.sends_per_day, DAY)


def sends_per_person(codes: Codes) -> list[AttemptLimit]:
    """Return the limits of all known devices of a person together."""
    return [
        AttemptLimit(maximum * DEVICES_PER_PERSON, span)
        for maximum, span in sends_per_identity(codes)
    ]


def sends_per_address(codes: Codes) -> AttemptLimit:
    """Return how many codes one network may request."""
    return AttemptLimit(codes.sends_per_address, _HOUR)


def wrong_per_address(codes: Codes) -> AttemptLimit:
    """Return how many wrong answers one network may give, for any identity."""
    return AttemptLimit(codes.wrong_per_address, _HOUR)


def sends_per_scope(codes: Codes, channel: CodeChannel) -> list[AttemptLimit]:
    """Return how many codes a scope, such as a store, sends in total."""
    minute = AttemptLimit(codes.sends_per_minute, MINUTE)
    return [minute, AttemptLimit(codes.sms_per_day, DAY)] if channel == "sms" else [minute]


def unreserved_share(max_count: int) -> int:
    """Return the part of a shared limit that is open to strangers."""
    return max_count - max_count // RESERVED_FRACTION


def should_pause(codes: Codes, sent_count: int, verified_count: int) -> bool:
    """Return whether too few codes were confirmed to keep sending."""
    return (
        sent_count >= codes.breaker_sends
        and verified_count * 100 < sent_count * codes.breaker_percent
    )


def resend_wait(sends: int) -> timedelta:
    """Return the wait before the next send, after this number of sends."""
    return RESEND_WAITS[min(sends, len(RESEND_WAITS)) - 1]


def next_send_time(sends: int, last_sent_at: datetime) -> datetime:
    return last_sent_at + resend_wait(sends)


def valid_codes(codes: Sequence[Code], now: datetime) -> list[Code]:
    """Return the valid codes: the newest few of the unexpired ones."""
    unexpired = [code for code in codes if code.used_at is None and now < code.expires_at]
    return sorted(unexpired, key=lambda code: (code.created_at, code.uuid))[-MAX_VALID_CODES:]


def can_continue(
    created_at: datetime, codes: Sequence[Code], now: datetime, *, is_exhausted: bool
) -> bool:
    """Return whether a resend adds to the challenge instead of beginning a new one.

    An exhausted challenge has seen too many wrong answers.
    """
    return (
        not is_exhausted and now < created_at + MAX_CHALLENGE_AGE and bool(valid_codes(codes, now))
    )


def normalise_code(code: str) -> str:
    """Normalise a typed code: drop spaces and dashes, and accept any script's digits."""
    kept_letters = [
        letter
        for letter in code[:_MAX_INPUT_LENGTH]
        if unicodedata.category(letter) not in _IGNORED_CATEGORIES
    ]
    return "".join(str(unicodedata.decimal(letter, letter)) for letter in kept_letters)
