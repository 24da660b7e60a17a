"""The position of an event by time, device and key, which is its id and also a cursor.

An event is found by its id through the unique index. A page continues where the last one ended,
whatever has arrived since. The feed is ordered by arrival instead: by transaction, batch and,
within a batch, by the same three.
"""

import struct
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from pannier.db.cursors import open_cursor, seal_cursor
from pannier.errors import NotFound
from pannier.kit.crypto import Keyring

PREFIX: Final = "devevt_"
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND: Final = timedelta(microseconds=1)
_MARK_FORMAT: Final = struct.Struct(">qqq")
_POSITION_FORMAT: Final = struct.Struct(">qqqqq")
_WORD: Final = 1 << 64
_MOMENT, _KEY = 14, 16  # hex digits of an id; the rest is the device number
_SIGN_BIT: Final = 1 << 63


class Mark(NamedTuple):
    """The position of an event in a list, by which lists are sorted."""

    occurred_at: datetime
    device_no: int
    event_key: int


class FeedPosition(NamedTuple):
    """A position in the feed: a batch of a transaction, and the last event of it that was read."""

    xid: int
    batch: int
    # None is the end of the batch.
    mark: Mark | None


def to_microseconds(moment: datetime) -> int:
    """Return the exact number of microseconds since 1970."""
    return (moment - EPOCH) // MICROSECOND


def from_microseconds(count: int) -> datetime:
    """Convert microseconds since 1970 to a time."""
    return EPOCH + count * MICROSECOND


def event_id(event_ref: Mark) -> str:
    moment, key = to_microseconds(event_ref.occurred_at), event_ref.event_key % _WORD
    return f"{PREFIX}{moment:0{_MOMENT}x}{key:0{_KEY}x}{event_ref.device_no:x}"


def decode_id(text: str) -> Mark:
    """Decode the id of an event, or raise NotFound."""
    digits = text.removeprefix(PREFIX)
    try:
        key = int(digits[_MOMENT : _MOMENT + _KEY], 16)
        event_ref = Mark(
            from_microseconds(int(digits[:_MOMENT], 16)),
            int(digits[_MOMENT + _KEY :], 16),
            key - _WORD if key >= _SIGN_BIT else key,
        )
    except (ValueError, OverflowError):
        raise NotFound from None
    if not 0 <= event_ref.device_no < _SIGN_BIT or event_id(event_ref) != text:
        raise NotFound
    return event_ref


def encode_cursor(keys: Keyring, company: UUID, event_ref: Mark, *, descending: bool) -> str:
    """Encode the position at which a page ends, for this list only."""
    data = _MARK_FORMAT.pack(
        to_microseconds(event_ref.occurred_at), event_ref.device_no, event_ref.event_key
    )
    return seal_cursor(keys, _list_scope(company, descending=descending), data)


def decode_cursor(keys: Keyring, company: UUID, text: str, *, descending: bool) -> Mark:
    """Decode a cursor, or raise CursorInvalid."""
    data = open_cursor(keys, _list_scope(company, descending=descending), text)
    moment, device_no, event_key = _MARK_FORMAT.unpack(data)
    return Mark(from_microseconds(moment), device_no, event_key)


def _list_scope(company: UUID, *, descending: bool) -> bytes:
    return f"device_events|{company}|{descending}".encode()


def encode_position(keys: Keyring, company: UUID, position: FeedPosition) -> str:
    """Encode a position in a company's feed."""
    event_ref = position.mark or Mark(EPOCH, -1, 0)
    data = _POSITION_FORMAT.pack(
        position.xid,
        position.batch,
        to_microseconds(event_ref.occurred_at),
        event_ref.device_no,
        event_ref.event_key,
    )
    return seal_cursor(keys, _feed_scope(company), data)


def decode_position(keys: Keyring, company: UUID, text: str) -> FeedPosition:
    """Decode a position in a company's feed, or raise CursorInvalid."""
    xid, batch, moment, device_no, event_key = _POSITION_FORMAT.unpack(
        open_cursor(keys, _feed_scope(company), text)
    )
    event_ref = Mark(from_microseconds(moment), device_no, event_key) if device_no >= 0 else None
    return FeedPosition(xid, batch, event_ref)


def _feed_scope(company: UUID) -> bytes:
    return f"device_feed|{company}".encode()
