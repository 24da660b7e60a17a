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

from pannier.devices.lookup import KnownDevice
from pannier.devices.models import EVENT_COLUMNS
from pannier.devices.readings import Reading

_HEADER: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_TRAILER: Final = b"\xff\xff"
# Each value is preceded by its length; null has length -1.
_NULL_LENGTH: Final = -1
_NULL: Final = b"\xff\xff\xff\xff"
# PostgreSQL counts microseconds from here.
_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
_pack_length: Final = Struct(">i").pack
_pack_smallint: Final = Struct(">ih").pack
_pack_double: Final = Struct(">id").pack
# Packers for batch and company, for the start of a row, and for a start with position and speed.
_pack_batch: Final = Struct(">iqi16s").pack
_pack_start: Final = Struct(">hiqiqiq32s").pack
_pack_moving: Final = Struct(">hiqiqiq32sididididii").pack
_encode_json: Final = msgspec.json.Encoder().encode


class StorableReading(Protocol):
    """A reading to be stored."""

    @property
    def key(self) -> tuple[int, int, int, int]:
        """The identity: device number, time, event key and class."""

    @property
    def device(self) -> KnownDevice:
        """The reading's device."""

    @property
    def reading(self) -> Reading:
        """The reading itself."""


class CopyRows(bytearray):
    """Encoded rows for COPY. Their content never appears in logs or tracebacks."""

    def __repr__(self) -> str:
        """Show the size only."""
        return f"<{len(self)} bytes of rows>"


def encode_events(events: Iterable[StorableReading], batches: Mapping[UUID, int]) -> CopyRows:
    """Encode events for COPY, in the order of the table's columns."""
    encoded_batches = {
        company: _pack_batch(8, batch, 16, company.bytes) for company, batch in batches.items()
    }
    rows = [
        _encode_row(event.key, event.reading, encoded_batches[event.device.company])
        for event in events
    ]
    return CopyRows(b"".join([_HEADER, *rows, _TRAILER]))


def to_microseconds(moment: datetime) -> int:
    """Convert a time to PostgreSQL's microseconds."""
    elapsed = moment - _EPOCH
    return (elapsed.days * 86_400 + elapsed.seconds) * 1_000_000 + elapsed.microseconds


def _encode_row(key: tuple[int, int, int, int], reading: Reading, batch: bytes) -> bytes:
    number, microseconds, event_key, class_ = key
    speed, heading = reading.speed, reading.heading
    # The common case of a moving device is packed in one call.
    is_plain = (
        reading.altitude is None and reading.accuracy is None and reading.latitude is not None
    )
    if is_plain and speed is not None and heading is not None:
        prefix = _pack_moving(
            len(EVENT_COLUMNS),
            8,
            number,
            8,
            microseconds,
            8,
            event_key,
            batch,
            8,
            reading.latitude,
            8,
            reading.longitude,
            8,
            speed,
            8,
            heading,
            _NULL_LENGTH,
            _NULL_LENGTH,
        )
    else:
        prefix = _pack_start(
            len(EVENT_COLUMNS), 8, number, 8, microseconds, 8, event_key, batch
        ) + _encode_measures(reading)
    suffix = _encode_smallints(class_, reading.kind, reading.severity, reading.flags)
    if reading.type is None and reading.data is None:
        return prefix + suffix + _NULL + _NULL
    return prefix + suffix + _encode_text(reading.type) + _encode_jsonb(reading.data)


def _encode_measures(reading: Reading) -> bytes:
    measures = (
        reading.latitude,
        reading.longitude,
        reading.speed,
        reading.heading,
        reading.altitude,
        reading.accuracy,
    )
    return b"".join(
        [_NULL if measure is None else _pack_double(8, measure) for measure in measures]
    )


@lru_cache(maxsize=1024)
def _encode_smallints(*numbers: int | None) -> bytes:
    return b"".join(_NULL if number is None else _pack_smallint(2, number) for number in numbers)


def _encode_text(text: str | None) -> bytes:
    if text is None:
        return _NULL
    encoded_bytes = text.encode()
    return _pack_length(len(encoded_bytes)) + encoded_bytes


def _encode_jsonb(data: dict[str, Any] | None) -> bytes:
    """Encode JSON with the version byte of jsonb."""
    if data is None:
        return _NULL
    encoded_bytes = _encode_json(data)
    return _pack_length(len(encoded_bytes) + 1) + b"\x01" + encoded_bytes
