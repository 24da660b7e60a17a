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
# Codes entered offline are checked up to three days later.
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


def get_challenge_attempt_limit(codes: Codes) -> AttemptLimit:
    """Return the limit of wrong answers to one challenge."""
    return AttemptLimit(codes.wrong_per_code, RETENTION)


def get_identity_attempt_limits(codes: Codes) -> tuple[AttemptLimit, ...]:
    """Return the limits of wrong answers for an identity, across all purposes."""
    return AttemptLimit(codes.wrong_per_hour, _HOUR), AttemptLimit(codes.wrong_per_day, DAY)


def get_identity_send_limits(codes: Codes) -> tuple[AttemptLimit, ...]:
    return AttemptLimit(codes.sends_per_hour, _HOUR), AttemptLimit(codes.sends_per_day, DAY)


def get_person_send_limits(codes: Codes) -> list[AttemptLimit]:
    """Return the send limits of all known devices of a person together."""
    return [
        AttemptLimit(maximum * DEVICES_PER_PERSON, span)
        for maximum, span in get_identity_send_limits(codes)
    ]


def get_address_send_limit(codes: Codes) -> AttemptLimit:
    """Return the limit of code requests from one network."""
    return AttemptLimit(codes.sends_per_address, _HOUR)


def get_address_attempt_limit(codes: Codes) -> AttemptLimit:
    """Return the limit of wrong answers from one network, across all identities."""
    return AttemptLimit(codes.wrong_per_address, _HOUR)


def get_scope_send_limits(codes: Codes, channel: CodeChannel) -> list[AttemptLimit]:
    """Return the limits of all codes that a scope, such as a store, sends."""
    minute_limit = AttemptLimit(codes.sends_per_minute, MINUTE)
    return (
        [minute_limit, AttemptLimit(codes.sms_per_day, DAY)] if channel == "sms" else [minute_limit]
    )


def compute_unreserved_share(max_count: int) -> int:
    """Compute the part of a shared limit that strangers may use."""
    return max_count - max_count // RESERVED_FRACTION


def should_pause(codes: Codes, sent_count: int, verified_count: int) -> bool:
    """Tell whether too few of the sent codes were confirmed."""
    return (
        sent_count >= codes.breaker_sends
        and verified_count * 100 < sent_count * codes.breaker_percent
    )


def get_resend_wait(sends: int) -> timedelta:
    """Return the wait before the next send, after this number of sends."""
    return RESEND_WAITS[min(sends, len(RESEND_WAITS)) - 1]


def compute_next_send_time(sends: int, last_sent_at: datetime) -> datetime:
    return last_sent_at + get_resend_wait(sends)


def list_valid_codes(codes: Sequence[Code], now: datetime) -> list[Code]:
    """List the valid codes: the newest few that are unused and unexpired."""
    unused_codes = [code for code in codes if code.used_at is None and now < code.expires_at]
    return sorted(unused_codes, key=lambda code: (code.created_at, code.uuid))[-MAX_VALID_CODES:]


def can_continue(
    created_at: datetime, codes: Sequence[Code], now: datetime, *, is_exhausted: bool
) -> bool:
    """Tell whether a resend continues the challenge instead of beginning a new one.

    An exhausted challenge has received too many wrong answers.
    """
    return (
        not is_exhausted
        and now < created_at + MAX_CHALLENGE_AGE
        and bool(list_valid_codes(codes, now))
    )


def normalise_code(code: str) -> str:
    """Normalise an entered code: drop spaces and dashes, and accept any script's digits."""
    letters = [
        letter
        for letter in code[:_MAX_INPUT_LENGTH]
        if unicodedata.category(letter) not in _IGNORED_CATEGORIES
    ]
    return "".join(str(unicodedata.decimal(letter, letter)) for letter in letters)
