"""Times in the API: accepted years, parsing and formatting."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, overload

import msgspec
from msgspec import Meta

Time = Annotated[
    str, Meta(extra_json_schema={"format": "date-time"}, examples=["2026-01-31T09:30:00.000Z"])
]

# Years outside are mistakes or attacks, and arithmetic on them could overflow.
EARLIEST_YEAR, LATEST_YEAR = 1970, 2100
OUT_OF_RANGE: Final = f"must be between the years {EARLIEST_YEAR} and {LATEST_YEAR}"


if TYPE_CHECKING:
    BoundedMoment: TypeAlias = datetime
    BoundedDay: TypeAlias = date
else:

    class _Bounded(type):
        """Accepts plain values as instances: only the decoding of a request checks the years."""

        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, cls.__base__)

    class BoundedMoment(datetime, metaclass=_Bounded):
        """A time that a caller may send."""

    class BoundedDay(date, metaclass=_Bounded):
        """A day that a caller may send."""


# A time without an offset would be ambiguous.
Moment = Annotated[
    BoundedMoment,
    Meta(
        description=f"RFC 3339, between the years {EARLIEST_YEAR} and {LATEST_YEAR}.",
        examples=["2026-01-31T09:30:00.000Z"],
    ),
]
Day = Annotated[
    BoundedDay,
    Meta(
        description=f"A day between the years {EARLIEST_YEAR} and {LATEST_YEAR}.",
        examples=["2026-01-31"],
    ),
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
