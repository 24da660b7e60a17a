"""Device events in PostgreSQL's binary COPY format.

A generic driver inspects the type of each value. Here the numbers of a row are packed at once,
which is fast enough for thousands of rows.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from struct import Struct
from typing import Any, Final, Protocol
from uuid import UUID

import msgspec

from pannier.devices.lookup import Known
from pannier.devices.models import EVENT_COLUMNS
from pannier.devices.readings import Reading

_BEGIN: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END: Final = b"\xff\xff"
# Each value is preceded by its length; null has length -1.
_NONE: Final = -1
_MISSING: Final = b"\xff\xff\xff\xff"
# PostgreSQL counts microseconds from here.
_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
_length: Final = Struct(">i").pack
_small: Final = Struct(">ih").pack
_double: Final = Struct(">id").pack
# Packers for batch and company, for the start of a row, and for a start with position and speed.
_own: Final = Struct(">iqi16s").pack
_begun: Final = Struct(">hiqiqiq32s").pack
_moving: Final = Struct(">hiqiqiq32sididididii").pack
_json: Final = msgspec.json.Encoder().encode


class Stored(Protocol):
    """A reading to be stored."""

    @property
    def key(self) -> tuple[int, int, int, int]:
        """The identity: device number, time, event key and class."""

    @property
    def device(self) -> Known:
        """The device that the reading belongs to."""

    @property
    def reading(self) -> Reading:
        """The reading itself."""


class Rows(bytearray):
    """Encoded rows for COPY. Their content never appears in logs or tracebacks."""

    def __repr__(self) -> str:
        """Show the size only."""
        return f"<{len(self)} bytes of rows>"


def copied(events: Iterable[Stored], batches: Mapping[UUID, int]) -> Rows:
    """Encode events for COPY, in the order of the table's columns."""
    own = {company: _own(8, batch, 16, company.bytes) for company, batch in batches.items()}
    rows = [_row(event.key, event.reading, own[event.device.company]) for event in events]
    return Rows(b"".join([_BEGIN, *rows, _END]))


def moment(at: datetime) -> int:
    """Convert a time to PostgreSQL's microseconds."""
    since = at - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _row(key: tuple[int, int, int, int], it: Reading, own: bytes) -> bytes:
    number, at, event_key, class_ = key
    speed, heading = it.speed, it.heading
    # The common case of a moving device is packed in one call.
    plain = it.altitude is None and it.accuracy is None and it.latitude is not None
    if plain and speed is not None and heading is not None:
        begun = _moving(
            len(EVENT_COLUMNS), 8, number, 8, at, 8, event_key, own,
            8, it.latitude, 8, it.longitude, 8, speed, 8, heading, _NONE, _NONE,
        )  # fmt: skip
    else:
        begun = _begun(len(EVENT_COLUMNS), 8, number, 8, at, 8, event_key, own) + _measures(it)
    ended = _classed(class_, it.kind, it.severity, it.flags)
    if it.type is None and it.data is None:
        return begun + ended + _MISSING + _MISSING
    return begun + ended + _text(it.type) + _document(it.data)


def _measures(it: Reading) -> bytes:
    told = (it.latitude, it.longitude, it.speed, it.heading, it.altitude, it.accuracy)
    return b"".join([_MISSING if each is None else _double(8, each) for each in told])


@lru_cache(maxsize=1024)
def _classed(*numbers: int | None) -> bytes:
    return b"".join(_MISSING if each is None else _small(2, each) for each in numbers)


def _text(text: str | None) -> bytes:
    if text is None:
        return _MISSING
    spelled = text.encode()
    return _length(len(spelled)) + spelled


def _document(data: dict[str, Any] | None) -> bytes:
    """Encode JSON with the version byte of jsonb."""
    if data is None:
        return _MISSING
    spelled = _json(data)
    return _length(len(spelled) + 1) + b"\x01" + spelled
