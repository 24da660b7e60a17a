"""Times in the API: accepted years, parsing and formatting."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Annotated, Any, Final, overload

import msgspec
from msgspec import Meta

from pannier.kit.moments import (
    EARLIEST_YEAR,
    LATEST_YEAR,
    OUT_OF_RANGE,
    BoundedDay,
    BoundedMoment,
    Day,
    Moment,
)

__all__ = [
    "EARLIEST_YEAR",
    "LATEST_YEAR",
    "OUT_OF_RANGE",
    "BoundedDay",
    "BoundedMoment",
    "Day",
    "Moment",
    "Time",
    "normalise",
    "read",
    "schema_hook",
    "to_rfc3339",
    "to_rfc3339_cached",
]

Time = Annotated[
    str, Meta(extra_json_schema={"format": "date-time"}, examples=["2026-01-31T09:30:00.000Z"])
]

_PLAIN_TYPES: Final[Mapping[type, Any]] = {
    BoundedMoment: Annotated[datetime, Meta(tz=True)],
    BoundedDay: date,
}
_FORMATS: Final[Mapping[type, str]] = {BoundedMoment: "date-time", BoundedDay: "date"}


def read(kind: type, value: object) -> Any:  # noqa: ANN401 - a moment or a day
    """Decode a time from a request; the `dec_hook` for msgspec."""
    # Strict: a number is not a time.
    moment = msgspec.convert(value, _PLAIN_TYPES[kind], strict=True)
    try:
        utc_moment = moment.astimezone(UTC) if isinstance(moment, datetime) else moment
    except OverflowError:
        raise ValueError(OUT_OF_RANGE) from None
    return normalise(utc_moment)


@overload
def normalise(value: datetime) -> datetime: ...
@overload
def normalise(value: date) -> date: ...
def normalise(value: date) -> date:
    """Check the year, and truncate a time to milliseconds, the precision of the API."""
    if not EARLIEST_YEAR <= value.year <= LATEST_YEAR:
        raise ValueError(OUT_OF_RANGE)
    if isinstance(value, datetime):
        return value.replace(microsecond=value.microsecond // 1000 * 1000)
    return value


def schema_hook(kind: type) -> dict[str, str]:
    """Return the JSON schema of one of our types, for msgspec."""
    return {"type": "string", "format": _FORMATS[kind]}


@overload
def to_rfc3339(moment: datetime) -> str: ...
@overload
def to_rfc3339(moment: None) -> None: ...
def to_rfc3339(moment: datetime | None) -> str | None:
    """Format a time as RFC 3339 in UTC."""
    return None if moment is None else to_rfc3339_cached(moment)


@lru_cache(maxsize=4096)
def to_rfc3339_cached(moment: datetime) -> str:
    """Format a time; cached, because a request formats the same few times repeatedly."""
    try:
        utc_moment = moment.astimezone(UTC)
    except (OverflowError, ValueError):
        # One bad value in the database must not break a whole list.
        utc_moment = moment.replace(tzinfo=UTC)
    return utc_moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
