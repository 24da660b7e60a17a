"""What recipients may do on the tracking page: configured, and effective with defaults."""

from typing import Annotated, Literal, get_args

import msgspec
from msgspec import UNSET, Meta

from pannier.kit.wording import MESSAGE
from pannier.web.fields import Clearable

InstructionsUntil = Annotated[
    Literal["never", "dispatched", "started", "near"],
    Meta(
        description="Until when recipients can give delivery instructions: `never`, until the "
        "order is `dispatched` or `started`, or until the driver is `near`."
    ),
]
NearMinutes = Annotated[
    int,
    Meta(
        ge=1,
        le=240,
        description="The driver is near from this many minutes before the ETA.",
        examples=[10],
    ),
]
RescheduleDays = Annotated[
    int,
    Meta(
        ge=0,
        le=30,
        description="Days ahead to which recipients can move a delivery. 0: not at all.",
        examples=[7],
    ),
]
NoticeHours = Annotated[
    int,
    Meta(
        ge=0,
        le=168,
        description="Hours between the recipient's choice and the start of the time window.",
        examples=[12],
    ),
]
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
Weekdays = Annotated[
    list[Weekday],
    Meta(
        min_length=1,
        max_length=7,
        description="Days of the week that recipients can choose.",
        examples=[["mon", "wed", "fri"]],
    ),
]
Window = Annotated[
    str,
    Meta(
        pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]\Z",
        extra={MESSAGE: "must be two times of day, such as 08:00-12:00."},
    ),
]
Windows = Annotated[
    list[Window],
    Meta(
        min_length=1,
        max_length=12,
        description="Time windows that recipients can choose, in the local time of the delivery.",
        examples=[["08:00-12:00", "12:00-16:00"]],
    ),
]
ContactPhone = Annotated[
    str,
    Meta(
        max_length=40,
        description="A phone number with its country code, on which recipients reach the sender.",
        examples=["+6561234567"],
    ),
]
ContactEmail = Annotated[
    str,
    Meta(
        max_length=254,
        description="An email address at which recipients reach the sender.",
        examples=["help@example.com"],
    ),
]
Ratings = Annotated[
    bool, Meta(description="Whether recipients can rate their deliveries.", examples=[True])
]


def parse_weekdays(names: list[Weekday]) -> list[Weekday]:
    return [name for name in get_args(Weekday) if name in names]


def parse_windows(windows: list[str]) -> list[str]:
    """Sort time windows. Reject one that does not end after its start."""
    if any(window.partition("-")[0] >= window.partition("-")[2] for window in windows):
        raise ValueError("must end after its start.")
    return sorted(set(windows))


class RecipientSettings(msgspec.Struct, kw_only=True, frozen=True):
    """What recipients may do on the tracking page, as configured."""

    instructions_until: Clearable[InstructionsUntil] = UNSET
    near_minutes: Clearable[NearMinutes] = UNSET
    reschedule_days: Clearable[RescheduleDays] = UNSET
    reschedule_notice_hours: Clearable[NoticeHours] = UNSET
    weekdays: Clearable[Weekdays] = UNSET
    windows: Clearable[Windows] = UNSET
    contact_phone: Clearable[ContactPhone] = UNSET
    contact_email: Clearable[ContactEmail] = UNSET
    ratings: Clearable[Ratings] = UNSET


class Recipients(msgspec.Struct, kw_only=True, frozen=True):
    """What recipients may do on the tracking page."""

    instructions_until: InstructionsUntil = "near"
    near_minutes: NearMinutes = 10
    reschedule_days: RescheduleDays = 0
    reschedule_notice_hours: NoticeHours = 12
    weekdays: Weekdays = msgspec.field(
        default_factory=lambda: ["mon", "tue", "wed", "thu", "fri", "sat"]
    )
    windows: Windows = msgspec.field(
        default_factory=lambda: ["08:00-12:00", "12:00-16:00", "16:00-20:00"]
    )
    contact_phone: ContactPhone | None = None
    contact_email: ContactEmail | None = None
    ratings: Ratings = True
