"""Shifts and skills of drivers in JSON."""

from typing import Annotated

import msgspec
from msgspec import Meta

from pannier.kit.local_time import Weekday
from pannier.kit.wording import MESSAGE
from pannier.web.times import Day

# Lists contain the shifts of up to a hundred drivers, so the numbers are limited.
MAX_SHIFTS = 21
MAX_SHIFTS_A_DAY = 3
MAX_BREAKS = 3
MAX_EXCEPTIONS = 50
ClockTime = Annotated[
    str,
    Meta(
        pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]\Z",
        description="Time of day, `HH:MM`.",
        examples=["08:00"],
        extra={MESSAGE: "must be a time of day such as 08:00."},
    ),
]
BreakSeconds = Annotated[int, Meta(ge=60, le=86_400, description="Seconds.", examples=[1800])]


class BreakFields(msgspec.Struct, kw_only=True):
    """A break: it starts between two times of day, and ends within the shift."""

    earliest: ClockTime
    latest: ClockTime
    duration: BreakSeconds


class ShiftHoursFields(msgspec.Struct, kw_only=True):
    """A shift. If its end is not after its start, it ends on the next day."""

    start: ClockTime
    end: ClockTime
    breaks: Annotated[
        list[BreakFields], Meta(max_length=MAX_BREAKS, description="Breaks within the shift.")
    ] = msgspec.field(default_factory=list)


class ShiftFields(ShiftHoursFields, kw_only=True):
    """A shift that begins on some days of every week."""

    days: Annotated[
        list[Weekday],
        Meta(
            min_length=1,
            max_length=7,
            description="The days on which it begins.",
            examples=[["mon", "tue", "wed"]],
        ),
    ]


class ShiftExceptionFields(msgspec.Struct, kw_only=True):
    """Days off, or days with other shifts than the weekly ones."""

    date: Day
    until: Annotated[
        Day | None, Meta(description="The last day. Defaults to `date`.", examples=["2031-07-16"])
    ] = None
    shifts: Annotated[
        list[ShiftHoursFields],
        Meta(max_length=MAX_SHIFTS_A_DAY, description="The shifts of each day; none on a day off."),
    ] = msgspec.field(default_factory=list)


Shifts = Annotated[
    list[ShiftFields],
    Meta(
        max_length=MAX_SHIFTS,
        description="The weekly shifts, in the company's time zone. Null: works at any time. An "
        "empty list: works only on days of `shift_exceptions`.",
        examples=[[{"days": ["mon", "tue"], "start": "08:00", "end": "16:00", "breaks": []}]],
    ),
]
ShiftExceptions = Annotated[
    list[ShiftExceptionFields],
    Meta(
        max_length=MAX_EXCEPTIONS,
        description="Days off, and days with other shifts than the weekly ones.",
        examples=[[{"date": "2031-07-05", "until": "2031-07-16", "shifts": []}]],
    ),
]
