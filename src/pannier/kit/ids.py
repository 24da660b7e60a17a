"""Identifiers: UUIDv7 inside, `<prefix>_<random>` for people, either one accepted anywhere."""

import os
import re
import string
from collections.abc import Callable
from datetime import datetime
from typing import AnyStr, Final, Generic
from uuid import UUID

from asyncpg.pgproto.pgproto import UUID as QuickUUID  # noqa: N811 - a kind of UUID

ALPHABET: Final = string.digits + string.ascii_letters
RANDOM_LENGTH: Final = 16  # 95 bits; the contract asks for at least 60
LONGEST: Final = 100
_PUBLIC: Final = re.compile(r"[a-z]+(?:_[a-z]+)*_[0-9A-Za-z]{16,}")

# Bytes beyond the last whole round of the alphabet are left out: they would favour some letters.
_UNFAIR: Final = bytes(range(256 - 256 % len(ALPHABET), 256))
_LETTERS: Final = bytes(ord(ALPHABET[byte % len(ALPHABET)]) for byte in range(256))
_VERSION_7: Final = 0x7 << 76
_VARIANT: Final = 0b10 << 62
# Of the 62 random bits behind the variant the first is left out: the steps never run over.
_BEHIND: Final = (1 << 61) - 1
_BEFORE: Final = (1 << 12) - 1


class _Noise(Generic[AnyStr]):
    """Random bytes of the operating system, or what they are made into, thousands at a time."""

    _SIZE: Final = 4096

    def __init__(self, made_into: Callable[[bytes], AnyStr]) -> None:
        self._made_into: Callable[[bytes], AnyStr] = made_into
        self.forget()

    def forget(self) -> None:
        """Leave what was fetched; a child must not draw what its parent draws."""
        self._stock: AnyStr = self._made_into(b"")
        self._used = 0

    def draw(self, count: int) -> AnyStr:
        start, end = self._used, self._used + count
        if end > len(self._stock):
            self._stock = self._made_into(os.urandom(self._SIZE + 2 * count))
            start, end = 0, count
        self._used = end
        return self._stock[start:end]


_noise: Final = _Noise(bytes)
_letters: Final = _Noise(lambda noise: noise.translate(_LETTERS, _UNFAIR).decode())
os.register_at_fork(after_in_child=_noise.forget)
os.register_at_fork(after_in_child=_letters.forget)


def random_bytes(count: int) -> bytes:
    """Draw bytes that nobody can guess; for names, of which many are made at once."""
    return _noise.draw(count)


class _Sequence:
    """Makes UUIDv7s; those of one millisecond grow by a random step, so that they keep order."""

    def __init__(self) -> None:
        self._moment: datetime | None = None
        self._milliseconds = -1
        self._last = 0

    def next(self, moment: datetime) -> bytes:
        # Most are made many at a time, by the clock of one request.
        if moment is not self._moment:
            self._enter(moment)
        self._last = new = self._last + 1 + int.from_bytes(_noise.draw(4))
        return new.to_bytes(16)

    def _enter(self, moment: datetime) -> None:
        self._moment, milliseconds = moment, int(moment.timestamp() * 1000)
        if milliseconds != self._milliseconds:
            noise = int.from_bytes(_noise.draw(10))
            random = (noise >> 61 & _BEFORE) << 64 | noise & _BEHIND
            self._milliseconds = milliseconds
            self._last = milliseconds % (1 << 48) << 80 | _VERSION_7 | _VARIANT | random


_sequence: Final = _Sequence()


def new_uuid(now: datetime) -> UUID:
    """Make a UUIDv7: it sorts by the time it was made, and within a process by its turn.

    The driver's own kind of UUID is made, compared and written several times as fast.
    """
    return QuickUUID(_sequence.next(now))


def first_uuid(moment: datetime) -> UUID:
    """Answer the least UUIDv7 of a moment: those that were made before it are less."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)


def random_text(length: int) -> str:
    """Make a random text of digits and letters."""
    return _letters.draw(length)


def new_public_id(prefix: str) -> str:
    """Make the identifier people see, such as `order_4fT0…`."""
    return f"{prefix}_{random_text(RANDOM_LENGTH)}"


def looks_public(text: str) -> bool:
    """Tell whether a text is spelled as such an identifier is, of whatever kind."""
    return len(text) <= LONGEST and _PUBLIC.fullmatch(text) is not None


def as_uuid(text: str) -> UUID | None:
    """Read a UUID in its usual spelling; None when it is something else."""
    try:
        return UUID(text) if len(text) == 36 else None  # noqa: PLR2004 - the length of a spelled-out UUID
    except ValueError:
        return None
