"""The position of an event by time, device and key, which is its id and also a cursor.

An event is found by its id through the unique index. A page continues where the last one ended,
whatever has arrived since. The feed is ordered by arrival instead: by transaction, batch and,
within a batch, by the same three.
"""

import struct
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from pannier.errors import CursorInvalid, NotFound
from pannier.kit import crypto
from pannier.kit.crypto import Keyring

PREFIX: Final = "devevt_"
PURPOSE: Final = "cursor"
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND: Final = timedelta(microseconds=1)
_MARK: Final = struct.Struct(">qqq")
_SPOT: Final = struct.Struct(">qqqqq")
_WORD: Final = 1 << 64
_MOMENT, _KEY = 14, 16  # hex digits of an id; the rest is the device number
_LARGEST: Final = 1 << 63


class Mark(NamedTuple):
    """The position of an event in a list, by which lists are sorted."""

    occurred_at: datetime
    device_no: int
    event_key: int


class Spot(NamedTuple):
    """A position in the feed: a batch of a transaction, and the last event of it that was read."""

    xid: int
    batch: int
    # None is the end of the batch.
    mark: Mark | None


def micros(moment: datetime) -> int:
    """Return the exact number of microseconds since 1970."""
    return (moment - EPOCH) // MICROSECOND


def moment_of(count: int) -> datetime:
    """Convert microseconds since 1970 to a time."""
    return EPOCH + count * MICROSECOND


def event_id(mark: Mark) -> str:
    moment, key = micros(mark.occurred_at), mark.event_key % _WORD
    return f"{PREFIX}{moment:0{_MOMENT}x}{key:0{_KEY}x}{mark.device_no:x}"


def read_id(text: str) -> Mark:
    """Decode the id of an event, or raise NotFound."""
    digits = text.removeprefix(PREFIX)
    try:
        key = int(digits[_MOMENT : _MOMENT + _KEY], 16)
        mark = Mark(
            moment_of(int(digits[:_MOMENT], 16)),
            int(digits[_MOMENT + _KEY :], 16),
            key - _WORD if key >= _LARGEST else key,
        )
    except (ValueError, OverflowError):
        raise NotFound from None
    if not 0 <= mark.device_no < _LARGEST or event_id(mark) != text:
        raise NotFound
    return mark


def cursor(keys: Keyring, company: UUID, mark: Mark, *, descending: bool) -> str:
    """Encode the end of a page, signed together with the list it belongs to."""
    said = _MARK.pack(micros(mark.occurred_at), mark.device_no, mark.event_key)
    return _signed(keys, _list(company, descending=descending), said)


def read_cursor(keys: Keyring, company: UUID, text: str, *, descending: bool) -> Mark:
    """Decode a cursor, or raise CursorInvalid."""
    said = _verified(keys, _list(company, descending=descending), text)
    moment, device_no, event_key = _MARK.unpack(said)
    return Mark(moment_of(moment), device_no, event_key)


def _list(company: UUID, *, descending: bool) -> bytes:
    return f"device_events|{company}|{descending}".encode()


def spot_text(keys: Keyring, company: UUID, spot: Spot) -> str:
    """Encode a position in a company's feed."""
    mark = spot.mark or Mark(EPOCH, -1, 0)
    said = _SPOT.pack(
        spot.xid, spot.batch, micros(mark.occurred_at), mark.device_no, mark.event_key
    )
    return _signed(keys, _feed(company), said)


def read_spot(keys: Keyring, company: UUID, text: str) -> Spot:
    """Decode a position in a company's feed, or raise CursorInvalid."""
    xid, batch, moment, device_no, event_key = _SPOT.unpack(_verified(keys, _feed(company), text))
    mark = Mark(moment_of(moment), device_no, event_key) if device_no >= 0 else None
    return Spot(xid, batch, mark)


def _feed(company: UUID) -> bytes:
    return f"device_feed|{company}".encode()


def _signed(keys: Keyring, scope: bytes, said: bytes) -> str:
    return crypto.to_text(keys.sign(PURPOSE, scope + said) + said)


def _verified(keys: Keyring, scope: bytes, text: str) -> bytes:
    data = crypto.from_text(text) or b""
    signature, said = data[: crypto.SIGNATURE_LENGTH], data[crypto.SIGNATURE_LENGTH :]
    if not keys.verified(PURPOSE, scope + said, signature):
        raise CursorInvalid
    return said
