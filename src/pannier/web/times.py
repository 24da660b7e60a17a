"""Times: which ones the contract takes, and how it spells them."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias, overload

import msgspec
from msgspec import Meta

Time = Annotated[
    str, Meta(extra_json_schema={"format": "date-time"}, examples=["2026-01-31T09:30:00.000Z"])
]

# Whatever lies beyond is a mistake or an attack, and arithmetic on it would leave the calendar.
EARLIEST, LATEST = 1970, 2100
OUTSIDE: Final = f"must be between the years {EARLIEST} and {LATEST}"


if TYPE_CHECKING:
    BoundedMoment: TypeAlias = datetime
    BoundedDay: TypeAlias = date
else:

    class _Bounded(type):
        """Takes plain values for its own: only reading what a caller sent looks at the years."""

        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, cls.__base__)

    class BoundedMoment(datetime, metaclass=_Bounded):
        """A moment that a caller may name."""

    class BoundedDay(date, metaclass=_Bounded):
        """A day that a caller may name."""


# Without an offset a moment would be anybody's guess.
Moment = Annotated[
    BoundedMoment,
    Meta(
        description=f"RFC 3339, between the years {EARLIEST} and {LATEST}.",
        examples=["2026-01-31T09:30:00.000Z"],
    ),
]
Day = Annotated[
    BoundedDay,
    Meta(description=f"A day between the years {EARLIEST} and {LATEST}.", examples=["2026-01-31"]),
]
_READ: Final[Mapping[type, Any]] = {
    BoundedMoment: Annotated[datetime, Meta(tz=True)],
    BoundedDay: date,
}
_FORMATS: Final[Mapping[type, str]] = {BoundedMoment: "date-time", BoundedDay: "date"}


def read(kind: type, given: object) -> Any:  # noqa: ANN401 - a moment or a day
    """Read a time that a caller sent; whoever parses what callers send hands this to msgspec."""
    # Strictly, as everywhere: a number is no time.
    told = msgspec.convert(given, _READ[kind], strict=True)
    try:
        exact = told.astimezone(UTC) if isinstance(told, datetime) else told
    except OverflowError:
        raise ValueError(OUTSIDE) from None
    return within(exact)


@overload
def within(told: datetime) -> datetime: ...
@overload
def within(told: date) -> date: ...
def within(told: date) -> date:
    """Refuse years that nobody means; a moment is kept to the millisecond, as it is spelled."""
    if not EARLIEST <= told.year <= LATEST:
        raise ValueError(OUTSIDE)
    if isinstance(told, datetime):
        return told.replace(microsecond=told.microsecond // 1000 * 1000)
    return told


def described(kind: type) -> dict[str, str]:
    """Tell msgspec how one of ours looks in a schema."""
    return {"type": "string", "format": _FORMATS[kind]}


@overload
def stamp(moment: datetime) -> str: ...
@overload
def stamp(moment: None) -> None: ...
def stamp(moment: datetime | None) -> str | None:
    """Spell a moment."""
    return None if moment is None else known_stamp(moment)


@lru_cache(maxsize=4096)
def known_stamp(moment: datetime) -> str:
    """Spell a moment that is known; a request does so with the same few again and again."""
    try:
        exact = moment.astimezone(UTC)
    except (OverflowError, ValueError):
        # An odd value in the database must not take a whole list with it.
        exact = moment.replace(tzinfo=UTC)
    return exact.isoformat(timespec="milliseconds").replace("+00:00", "Z")
