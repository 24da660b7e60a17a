"""Limits of one-time codes: configured, and effective with defaults."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta

from pannier.kit.phone import UNSUITABLE_TYPES, NumberType
from pannier.kit.wording import MESSAGE
from pannier.web.fields import Clearable

Country = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z]{2}\Z",
        description="Two-letter country code (ISO 3166).",
        examples=["SG"],
        extra={MESSAGE: "must be a country code of two letters, such as SG."},
    ),
]
Countries = Annotated[
    list[Country],
    Meta(
        min_length=1,
        max_length=250,
        description="Countries that codes are sent to by SMS. All if not set.",
        examples=[["SG", "MY"]],
    ),
]
SendsPerHour = Annotated[
    int, Meta(ge=1, le=20, description="Codes per identity and hour.", examples=[5])
]
SendsPerDay = Annotated[
    int, Meta(ge=1, le=100, description="Codes per identity and day.", examples=[10])
]
SendsPerMinute = Annotated[
    int, Meta(ge=1, le=10_000, description="Codes to all recipients per minute.", examples=[300])
]
WrongPerCode = Annotated[
    int, Meta(ge=3, le=10, description="Wrong attempts before a code expires.", examples=[5])
]
WrongPerHour = Annotated[
    int, Meta(ge=5, le=30, description="Wrong attempts per identity and hour.", examples=[10])
]
WrongPerDay = Annotated[
    int, Meta(ge=5, le=100, description="Wrong attempts per identity and day.", examples=[30])
]
SendsPerAddress = Annotated[
    int,
    Meta(ge=1, le=10_000, description="Codes requested per IP address and hour.",
         examples=[20]),
]  # fmt: skip
WrongPerAddress = Annotated[
    int,
    Meta(ge=5, le=10_000, description="Wrong attempts per IP address and hour.", examples=[100]),
]
SmsPerDay = Annotated[
    int,
    Meta(
        ge=1,
        le=100_000,
        description="Codes by SMS in 24 hours, counted separately for each store, for drivers and "
        "for deliveries. A fifth is reserved for people who have an account.",
        examples=[5000],
    ),
]
RefusedTypes = Annotated[
    list[NumberType],
    Meta(
        max_length=20,
        description="Number types that codes are not sent to.",
        examples=[["premium_rate", "shared_cost", "satellite"]],
    ),
]
BreakerSends = Annotated[
    int,
    Meta(
        ge=10,
        le=10_000,
        description="Hourly codes to new numbers of a country before their success rate is "
        "checked.",
        examples=[100],
    ),
]
BreakerPercent = Annotated[
    int,
    Meta(
        ge=0,
        le=90,
        description="If a smaller percentage of these codes is entered, codes to new numbers of "
        "the country are paused until the hour has passed. 0 disables the check.",
        examples=[10],
    ),
]


class CodeSettings(msgspec.Struct, kw_only=True, frozen=True):
    """Configured limits of one-time codes."""

    sends_per_hour: Clearable[SendsPerHour] = UNSET
    sends_per_day: Clearable[SendsPerDay] = UNSET
    sends_per_minute: Clearable[SendsPerMinute] = UNSET
    wrong_per_code: Clearable[WrongPerCode] = UNSET
    wrong_per_hour: Clearable[WrongPerHour] = UNSET
    wrong_per_day: Clearable[WrongPerDay] = UNSET
    sends_per_address: Clearable[SendsPerAddress] = UNSET
    wrong_per_address: Clearable[WrongPerAddress] = UNSET
    countries: Clearable[Countries] = UNSET
    refused_types: Clearable[RefusedTypes] = UNSET
    sms_per_day: Clearable[SmsPerDay] = UNSET
    breaker_sends: Clearable[BreakerSends] = UNSET
    breaker_percent: Clearable[BreakerPercent] = UNSET


class Codes(msgspec.Struct, kw_only=True, frozen=True):
    """Effective limits of one-time codes."""

    sends_per_hour: SendsPerHour = 5
    sends_per_day: SendsPerDay = 10
    sends_per_minute: SendsPerMinute = 300
    wrong_per_code: WrongPerCode = 5
    wrong_per_hour: WrongPerHour = 10
    wrong_per_day: WrongPerDay = 30
    sends_per_address: SendsPerAddress = 20
    wrong_per_address: WrongPerAddress = 100
    countries: Countries | None = None
    refused_types: RefusedTypes = msgspec.field(default_factory=lambda: [*UNSUITABLE_TYPES])
    sms_per_day: SmsPerDay = 5000
    breaker_sends: BreakerSends = 100
    breaker_percent: BreakerPercent = 10
