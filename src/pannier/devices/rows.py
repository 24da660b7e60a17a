"""Rows of device events as PostgreSQL's binary COPY has them, thousands in a moment.

A driver that knows nothing of the table asks of each value what it is. Here the numbers of a row
are written at once.
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
# Before each value stands its length; before one that is missing, this.
_NONE: Final = -1
_MISSING: Final = b"\xff\xff\xff\xff"
# PostgreSQL counts microseconds from here.
_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
_length: Final = Struct(">i").pack
_small: Final = Struct(">ih").pack
_double: Final = Struct(">id").pack
# Batch and company; then how a row begins, alone and with where it was and how fast whither.
_own: Final = Struct(">iqi16s").pack
_begun: Final = Struct(">hiqiqiq32s").pack
_moving: Final = Struct(">hiqiqiq32sididididii").pack
_json: Final = msgspec.json.Encoder().encode


class Stored(Protocol):
    """A reading on its way into the store."""

    @property
    def key(self) -> tuple[int, int, int, int]:
        """What it is recognised by: its device's number, its moment, its own key, its class."""

    @property
    def device(self) -> Known:
        """Whose it is."""

    @property
    def reading(self) -> Reading:
        """What was read."""


class Rows(bytearray):
    """What COPY takes in; whoever shows what went wrong shows none of it."""

    def __repr__(self) -> str:
        """Say how much it is."""
        return f"<{len(self)} bytes of rows>"


def copied(events: Iterable[Stored], batches: Mapping[UUID, int]) -> Rows:
    """Spell events as COPY takes them in, in the order of their columns."""
    own = {company: _own(8, batch, 16, company.bytes) for company, batch in batches.items()}
    rows = [_row(event.key, event.reading, own[event.device.company]) for event in events]
    return Rows(b"".join([_BEGIN, *rows, _END]))


def moment(at: datetime) -> int:
    """Tell a moment as PostgreSQL counts it."""
    since = at - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _row(key: tuple[int, int, int, int], it: Reading, own: bytes) -> bytes:
    number, at, event_key, class_ = key
    speed, heading = it.speed, it.heading
    # Most are like this, and written in one go.
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
    """Spell JSON; before it stands which way of spelling it is."""
    if data is None:
        return _MISSING
    spelled = _json(data)
    return _length(len(spelled) + 1) + b"\x01" + spelled
