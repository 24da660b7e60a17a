"""Identifiers: UUIDv7 inside, `<prefix>_<random>` for people, either one accepted anywhere."""

import os
import re
import string
from datetime import datetime
from typing import Final
from uuid import UUID

ALPHABET: Final = string.digits + string.ascii_letters
RANDOM_LENGTH: Final = 16  # 95 bits; the contract asks for at least 60
LONGEST: Final = 100
_PUBLIC: Final = re.compile(r"[a-z]+(?:_[a-z]+)*_[0-9A-Za-z]{16,}")

# Bytes beyond the last whole round of the alphabet are left out: they would favour some letters.
_UNFAIR: Final = bytes(range(256 - 256 % len(ALPHABET), 256))
_LETTERS: Final = bytes(ord(ALPHABET[byte % len(ALPHABET)]) for byte in range(256))
_VERSION_7: Final = 0x7 << 76
_VARIANT: Final = 0b10 << 62


class _Noise:
    """Random bytes of the operating system, fetched a few thousand at a time."""

    _SIZE: Final = 4096

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Leave what was fetched; a child must not draw what its parent draws."""
        self._bytes, self._used = b"", self._SIZE

    def draw(self, count: int) -> bytes:
        start, end = self._used, self._used + count
        if end > self._SIZE:
            self._bytes, start, end = os.urandom(self._SIZE), 0, count
        self._used = end
        return self._bytes[start:end]


_noise = _Noise()
os.register_at_fork(after_in_child=_noise.forget)


def random_bytes(count: int) -> bytes:
    """Draw bytes that nobody can guess; for names, of which many are made at once."""
    return _noise.draw(count)


class _Sequence:
    """Makes UUIDv7s; those of one millisecond grow by a random step, so that they keep order."""

    def __init__(self) -> None:
        self._milliseconds = -1
        self._noise = 0

    def next(self, milliseconds: int) -> int:
        if milliseconds == self._milliseconds:
            self._noise += 1 + int.from_bytes(random_bytes(4))
        else:
            # Less than there is room for: the steps never run over.
            self._milliseconds, self._noise = milliseconds, int.from_bytes(random_bytes(9))
        return (
            (milliseconds & ((1 << 48) - 1)) << 80
            | _VERSION_7
            | (self._noise >> 62) << 64
            | _VARIANT
            | (self._noise & ((1 << 62) - 1))
        )


_sequence = _Sequence()


def new_uuid(now: datetime) -> UUID:
    """Make a UUIDv7: it sorts by the time it was made, and within a process by its turn."""
    return UUID(int=_sequence.next(int(now.timestamp() * 1000)))


def first_uuid(moment: datetime) -> UUID:
    """Answer the least UUIDv7 of a moment: those that were made before it are less."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)


def random_text(length: int) -> str:
    """Make a random text of digits and letters."""
    letters = b""
    while len(letters) < length:
        letters += random_bytes(2 * length).translate(_LETTERS, _UNFAIR)
    return letters[:length].decode()


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
