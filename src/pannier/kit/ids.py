"""Identifiers: UUIDv7 internally, `<prefix>_<random>` in the API. Callers may send either."""

import os
import re
import string
from collections.abc import Callable
from datetime import datetime
from typing import AnyStr, Final, Generic
from uuid import UUID

from asyncpg.pgproto.pgproto import UUID as QuickUUID  # noqa: N811 - a kind of UUID

ALPHABET: Final = string.digits + string.ascii_letters
RANDOM_LENGTH: Final = 16  # 95 bits; the contract requires at least 60
MAX_LENGTH: Final = 100
_PUBLIC: Final = re.compile(r"[a-z]+(?:_[a-z]+)*_[0-9A-Za-z]{16,}")

# Bytes beyond the last whole multiple of the alphabet are dropped: they would favour some letters.
_BIASED_BYTES: Final = bytes(range(256 - 256 % len(ALPHABET), 256))
_LETTERS: Final = bytes(ord(ALPHABET[byte % len(ALPHABET)]) for byte in range(256))
_VERSION_7: Final = 0x7 << 76
_VARIANT: Final = 0b10 << 62
# The first of the 62 random bits after the variant stays 0, so that increments never overflow.
_LOW_RANDOM_MASK: Final = (1 << 61) - 1
_HIGH_RANDOM_MASK: Final = (1 << 12) - 1


class _RandomPool(Generic[AnyStr]):
    """A pool of random bytes from the operating system, or of text made from them."""

    _SIZE: Final = 4096

    def __init__(self, convert: Callable[[bytes], AnyStr]) -> None:
        self._convert: Callable[[bytes], AnyStr] = convert
        self.clear()

    def clear(self) -> None:
        """Empty the pool. A child process must not draw the same values as its parent."""
        self._pool: AnyStr = self._convert(b"")
        self._used = 0

    def draw(self, count: int) -> AnyStr:
        start, end = self._used, self._used + count
        if end > len(self._pool):
            self._pool = self._convert(os.urandom(self._SIZE + 2 * count))
            start, end = 0, count
        self._used = end
        return self._pool[start:end]


_random_bytes: Final = _RandomPool(bytes)
_random_letters: Final = _RandomPool(
    lambda noise: noise.translate(_LETTERS, _BIASED_BYTES).decode()
)
os.register_at_fork(after_in_child=_random_bytes.clear)
os.register_at_fork(after_in_child=_random_letters.clear)


def random_bytes(count: int) -> bytes:
    """Return unpredictable bytes. They come from a pool, so many small calls are cheap."""
    return _random_bytes.draw(count)


class _UuidSequence:
    """Makes UUIDv7s. Within a millisecond they grow by random steps, so they stay in order."""

    def __init__(self) -> None:
        self._moment: datetime | None = None
        self._milliseconds = -1
        self._last = 0

    def next(self, moment: datetime) -> bytes:
        # Most calls share the same time object, that of their request.
        if moment is not self._moment:
            self._start_millisecond(moment)
        self._last = new_part = self._last + 1 + int.from_bytes(_random_bytes.draw(4))
        return new_part.to_bytes(16)

    def _start_millisecond(self, moment: datetime) -> None:
        self._moment, milliseconds = moment, int(moment.timestamp() * 1000)
        if milliseconds != self._milliseconds:
            noise = int.from_bytes(_random_bytes.draw(10))
            random = (noise >> 61 & _HIGH_RANDOM_MASK) << 64 | noise & _LOW_RANDOM_MASK
            self._milliseconds = milliseconds
            self._last = milliseconds % (1 << 48) << 80 | _VERSION_7 | _VARIANT | random


_sequence: Final = _UuidSequence()


def new_uuid(now: datetime) -> UUID:
    """Make a UUIDv7. UUIDs sort by creation time, and within a process by creation order.

    The result has asyncpg's UUID type, which is several times faster to make, compare and write.
    """
    return QuickUUID(_sequence.next(now))


def lowest_uuid(moment: datetime) -> UUID:
    """Return the lowest UUIDv7 of a moment. All UUIDs made earlier are lower."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)


def random_text(length: int) -> str:
    """Return random digits and letters."""
    return _random_letters.draw(length)


def new_public_id(prefix: str) -> str:
    """Make a public id, such as `order_4fT0…`."""
    return f"{prefix}_{random_text(RANDOM_LENGTH)}"


def is_public_id(text: str) -> bool:
    """Return whether a text has the format of a public id, with any prefix."""
    return len(text) <= MAX_LENGTH and _PUBLIC.fullmatch(text) is not None


def parse_uuid(text: str) -> UUID | None:
    """Parse a UUID in the usual format with hyphens; return None for any other format."""
    try:
        return UUID(text) if len(text) == 36 else None  # noqa: PLR2004 - with hyphens
    except ValueError:
        return None
