"""The numbers of one-time codes, and what follows from them."""

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple

from pannier.accounts.company_settings.codes import Codes
from pannier.verification.models import Code

CodeChannel = Literal["sms", "email"]


class Limit(NamedTuple):
    """So many in so long a time."""

    most: int
    span: timedelta


DIGITS: Final = 6
LIVES: Final[Mapping[CodeChannel, timedelta]] = {
    "sms": timedelta(minutes=5),
    "email": timedelta(minutes=10),
}
LONGEST_LIFE: Final = timedelta(days=1)
MOST_ALIVE: Final = 3
RESEND_WAITS: Final = (
    timedelta(seconds=30),
    timedelta(seconds=60),
    timedelta(seconds=120),
    timedelta(seconds=300),
)

# A challenge is continued for a day at the most, and its last code lives a day at the most:
# within the span of its limit every wrong answer is still remembered.
LONGEST_CHALLENGE: Final = timedelta(days=1)
# Codes typed without reception are looked at up to three days later.
KEEP: Final = timedelta(days=4)
# On test companies, numbers and addresses for trials take a code that everybody knows.
REHEARSED_CODE: Final = "000000"
# Of what everybody shares, one in so many is kept for people who are known.
RESERVE: Final = 5
# All known devices of a person together are sent so many times what one of them is.
DEVICES: Final = 3
# Over which time it is looked at how many codes come back, and how long a person may take.
BREAKER_SPAN: Final = timedelta(hours=1)
ANSWER_TIME: Final = timedelta(minutes=2)

MINUTE: Final = timedelta(minutes=1)
_HOUR: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)
_SPACING: Final = frozenset({"Pd", "Zs", "Cf", "Cc"})
_LONGEST_INPUT: Final = 64


def wrong_per_challenge(codes: Codes) -> Limit:
    """Tell how many wrong answers end a challenge."""
    return Limit(codes.wrong_per_code, KEEP)


def wrong_per_identity(codes: Codes) -> tuple[Limit, ...]:
    """Tell how many wrong answers an identity may give over all purposes."""
    return Limit(codes.wrong_per_hour, _HOUR), Limit(codes.wrong_per_day, DAY)


def sends_per_identity(codes: Codes) -> tuple[Limit, ...]:
    """Tell how many codes are sent to one identity."""
    return Limit(codes.sends_per_hour, _HOUR), Limit(codes.sends_per_day, DAY)


def sends_per_person(codes: Codes) -> list[Limit]:
    """Tell how many codes are sent to all known devices of a person: they have as many as like."""
    return [Limit(most * DEVICES, span) for most, span in sends_per_identity(codes)]


def sends_per_address(codes: Codes) -> Limit:
    """Tell how many codes may be asked for from one network."""
    return Limit(codes.sends_per_address, _HOUR)


def wrong_per_address(codes: Codes) -> Limit:
    """Tell how many wrong answers may come from one network, whoever they are about."""
    return Limit(codes.wrong_per_address, _HOUR)


def sends_per_scope(codes: Codes, channel: CodeChannel) -> list[Limit]:
    """Tell how many codes are sent within a scope, such as a store, to all."""
    minute = Limit(codes.sends_per_minute, MINUTE)
    return [minute, Limit(codes.sms_per_day, DAY)] if channel == "sms" else [minute]


def unreserved(most: int) -> int:
    """Tell how many of what everybody shares strangers may have."""
    return most - most // RESERVE


def stops(codes: Codes, sent: int, verified: int) -> bool:
    """Tell whether so few codes came back that no more are sent."""
    return sent >= codes.breaker_sends and verified * 100 < sent * codes.breaker_percent


def resend_wait(sends: int) -> timedelta:
    """Tell how long to wait after so many sends before the next."""
    return RESEND_WAITS[min(sends, len(RESEND_WAITS)) - 1]


def next_send(sends: int, last_sent_at: datetime) -> datetime:
    """Tell from when on a challenge may be sent another code."""
    return last_sent_at + resend_wait(sends)


def alive(codes: Sequence[Code], now: datetime) -> list[Code]:
    """Find the codes that still work: the newest few of those that have not expired."""
    unexpired = [code for code in codes if code.used_at is None and now < code.expires_at]
    return sorted(unexpired, key=lambda code: (code.created_at, code.uuid))[-MOST_ALIVE:]


def continues(created_at: datetime, codes: Sequence[Code], now: datetime, *, dead: bool) -> bool:
    """Tell whether a resend adds to the challenge, rather than beginning another one.

    A dead challenge has seen too many wrong answers.
    """
    return not dead and now < created_at + LONGEST_CHALLENGE and bool(alive(codes, now))


def typed(code: str) -> str:
    """Read a code as people type it: with spaces or dashes, in any script's digits."""
    shown = [
        letter for letter in code[:_LONGEST_INPUT] if unicodedata.category(letter) not in _SPACING
    ]
    return "".join(str(unicodedata.decimal(letter, letter)) for letter in shown)
