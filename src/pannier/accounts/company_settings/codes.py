"""Limits of one-time codes: as they are set, and with defaults."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta

from pannier.kit.phone import UNANSWERED, NumberType
from pannier.kit.wording import MESSAGE
from pannier.web.fields import Clearable

Country = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z]{2}\Z",
        description="A country's code of two letters (ISO 3166).",
        examples=["SG"],
        extra={MESSAGE: "must be a country code of two letters, such as SG."},
    ),
]
Countries = Annotated[
    list[Country],
    Meta(
        min_length=1,
        max_length=250,
        description="Where codes by SMS are sent; every country, when not set.",
        examples=[["SG", "MY"]],
    ),
]
SendsPerHour = Annotated[
    int, Meta(ge=1, le=20, description="Codes sent to one identity in an hour.", examples=[5])
]
SendsPerDay = Annotated[
    int, Meta(ge=1, le=100, description="Codes sent to one identity in a day.", examples=[10])
]
SendsPerMinute = Annotated[
    int, Meta(ge=1, le=10_000, description="Codes sent to everybody in a minute.", examples=[300])
]
WrongPerCode = Annotated[
    int, Meta(ge=3, le=10, description="Wrong tries that end a code.", examples=[5])
]
WrongPerHour = Annotated[
    int, Meta(ge=5, le=30, description="Wrong tries of one identity in an hour.", examples=[10])
]
WrongPerDay = Annotated[
    int, Meta(ge=5, le=100, description="Wrong tries of one identity in a day.", examples=[30])
]
SendsPerAddress = Annotated[
    int,
    Meta(ge=1, le=10_000, description="Codes asked for from one address in an hour.",
         examples=[20]),
]  # fmt: skip
WrongPerAddress = Annotated[
    int,
    Meta(ge=5, le=10_000, description="Wrong tries from one address in an hour.", examples=[100]),
]
SmsPerDay = Annotated[
    int,
    Meta(
        ge=1,
        le=100_000,
        description="Codes by SMS in 24 hours, of each store, the drivers and the deliveries "
        "apart. A fifth of them is kept for people who have an account.",
        examples=[5000],
    ),
]
RefusedTypes = Annotated[
    list[NumberType],
    Meta(
        max_length=20,
        description="Kinds of numbers to which no codes are sent.",
        examples=[["premium_rate", "shared_cost", "satellite"]],
    ),
]
BreakerSends = Annotated[
    int,
    Meta(
        ge=10,
        le=10_000,
        description="From so many codes an hour to new numbers of one country on, it is looked at "
        "how many of them come back.",
        examples=[100],
    ),
]
BreakerPercent = Annotated[
    int,
    Meta(
        ge=0,
        le=90,
        description="When fewer of them come back, none are sent to new numbers of that country "
        "until the hour has passed; 0 never stops.",
        examples=[10],
    ),
]


class CodeSettings(msgspec.Struct, kw_only=True, frozen=True):
    """Limits of one-time codes that are set."""

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
    refused_types: RefusedTypes = msgspec.field(default_factory=lambda: [*UNANSWERED])
    sms_per_day: SmsPerDay = 5000
    breaker_sends: BreakerSends = 100
    breaker_percent: BreakerPercent = 10
