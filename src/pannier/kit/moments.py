"""Types of times that callers send: accepted years, and their descriptions."""

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

from msgspec import Meta

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
