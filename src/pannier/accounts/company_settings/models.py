"""The parts of a company's settings: as they are set, and as they apply.

A part that is set has a field for each setting, and only those that somebody set have a value: it
is a column of the company or its store, and the body of a change too. A part that applies has a
value for each, the default where nobody set one.
"""

from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import Annotated, Any, Final, Literal, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET, Meta

from pannier.accounts.company_settings.news import Channels, Texts
from pannier.accounts.company_settings.news import SmsPerDay as NewsPerDay
from pannier.kit.credential import Mode
from pannier.kit.money import LARGEST_AMOUNT
from pannier.kit.phone import UNANSWERED, NumberType
from pannier.settings import Settings
from pannier.web.fields import Clearable
from pannier.web.identifiers import identifier

Part = TypeVar("Part", bound=msgspec.Struct)

Country = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z]{2}\Z",
        description="A country's code of two letters (ISO 3166).",
        examples=["SG"],
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
Locale = Annotated[
    str, Meta(min_length=2, max_length=35, description="A BCP 47 tag.", examples=["en-SG"])
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
Metres = Annotated[
    int,
    Meta(ge=5, le=10_000, description="How far a driver moves before that is told.", examples=[25]),
]
Seconds = Annotated[
    int,
    Meta(ge=1, le=3600, description="Between two events of where a driver is.", examples=[5]),
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
DetourFactor = Annotated[
    float,
    Meta(
        ge=1,
        le=3,
        description="So many times as long as the great circle is a way by road.",
        examples=[1.3],
    ),
]
SpeedKmh = Annotated[
    float,
    Meta(ge=1, le=200, description="Kilometres an hour from door to door.", examples=[50]),
]
AdhocDistance = Annotated[
    int,
    Meta(
        ge=1,
        le=1_000_000,
        description="Metres around a driver within which ad-hoc orders are offered.",
        examples=[6000],
    ),
]
Days = Annotated[int, Meta(ge=1, le=36_500, description="Days that they are kept.", examples=[30])]
Brand = Annotated[
    str, Meta(max_length=100, description="In messages and on sheets.", examples=["Acme"])
]
Color = Annotated[
    str, Meta(pattern=r"^#[0-9A-Fa-f]{6}\Z", description="`#rrggbb`.", examples=["#0b7285"])
]
Logo = Annotated[
    str,
    identifier(
        "file_4Vn8QzKc2WmYt6Rb",
        "The id of an uploaded picture of the company's: JPEG, PNG or WebP.",
        most=64,
    ),
]
SmsSender = Annotated[
    str,
    Meta(
        pattern=r"^(\+[0-9]{5,15}|[A-Za-z0-9 ]{1,11})\Z",
        description="A number, or up to eleven letters, digits and spaces.",
        examples=["ACME"],
    ),
]
EmailSender = Annotated[
    str, Meta(max_length=100, description="The name beside the address.", examples=["Acme"])
]


Origin = Annotated[
    str, Meta(pattern=r"^https?://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?\Z", max_length=270)
]
OrdersAllowed = Annotated[
    bool, Meta(description="Whether its customers may place orders from quotes themselves.")
]
ReturnOrigins = Annotated[
    list[Origin],
    Meta(
        max_length=20,
        description="Whose pages the store's customers may come back to after they paid; none, "
        "when not set.",
        examples=[["https://shop.example.com"]],
    ),
]


DispatchRequires = Literal["nothing", "price", "payment"]
UndeliveredCharge = Literal["keep", "void", "return_fee"]
FeeAmount = Annotated[
    int, Meta(ge=0, le=LARGEST_AMOUNT, description="Minor units of the order's currency.")
]
FeePercent = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{1,15}\Z|^[0-9]{1,3}(\.[0-9]{1,2})? ?%\Z",
        description="A share of the price, such as `50%`.",
        examples=["50%"],
    ),
]
ReturnFee = FeeAmount | FeePercent


class CodeSettings(msgspec.Struct, kw_only=True, frozen=True):
    """Limits of one-time codes, as they are set."""

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
    """Limits of one-time codes, as they apply."""

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


class LocationSettings(msgspec.Struct, kw_only=True, frozen=True):
    """When it is told where a driver is, as it is set."""

    distance: Clearable[Metres] = UNSET
    interval: Clearable[Seconds] = UNSET


class Locations(msgspec.Struct, kw_only=True, frozen=True):
    """When it is told where a driver is, as it applies: after a distance and an interval."""

    distance: Metres = 25
    interval: Seconds = 5

    @classmethod
    def least(cls, settings: Settings) -> "Locations":
        """Tell how far and how long the installation waits at the least."""
        return cls(distance=settings.location_distance, interval=settings.location_interval)

    def within(self, given: "Locations") -> "Locations":
        """Wait as long as somebody wants, and never less than this."""
        return Locations(
            distance=max(self.distance, given.distance),
            interval=max(self.interval, given.interval),
        )


class PaceSettings(msgspec.Struct, kw_only=True, frozen=True):
    """How ways compare with great circles, as it is set."""

    detour_factor: Clearable[DetourFactor] = UNSET
    speed_kmh: Clearable[SpeedKmh] = UNSET
    adhoc_distance: Clearable[AdhocDistance] = UNSET


class Pace(msgspec.Struct, kw_only=True, frozen=True):
    """How ways compare with great circles, as it applies."""

    detour_factor: DetourFactor = 1.3
    speed_kmh: SpeedKmh = 50
    adhoc_distance: AdhocDistance = 6000


class RetentionSettings(msgspec.Struct, kw_only=True, frozen=True):
    """Days that data are kept, as they are set; never more than the installation allows."""

    events: Clearable[Days] = UNSET
    messages: Clearable[Days] = UNSET
    webhook_log: Clearable[Days] = UNSET
    audit: Clearable[Days] = UNSET
    positions: Clearable[Days] = UNSET
    telemetry: Clearable[Days] = UNSET
    alerts: Clearable[Days] = UNSET
    heartbeats: Clearable[Days] = UNSET
    other_readings: Clearable[Days] = UNSET
    tokens: Clearable[Days] = UNSET


class Retention(msgspec.Struct, kw_only=True, frozen=True):
    """Days that data are kept, as they apply."""

    events: Days
    messages: Days
    webhook_log: Days
    audit: Days
    positions: Days
    telemetry: Days
    alerts: Days
    heartbeats: Days
    other_readings: Days
    tokens: Annotated[Days, Meta(description="Once they have expired or were revoked.")]

    @property
    def of_devices(self) -> tuple[int, int, int, int, int]:
        """What devices say, by the number of its class."""
        return (self.positions, self.telemetry, self.alerts, self.heartbeats, self.other_readings)

    @classmethod
    def longest(cls, settings: Settings) -> "Retention":
        """Tell how long the installation keeps data at the most, and without another word."""
        return cls(
            events=settings.retention_days,
            messages=settings.retention_days,
            webhook_log=settings.webhook_retention_days,
            audit=settings.audit_retention_days,
            positions=settings.position_retention_days,
            telemetry=settings.telemetry_retention_days,
            alerts=settings.alert_retention_days,
            heartbeats=settings.heartbeat_retention_days,
            other_readings=settings.other_reading_retention_days,
            tokens=settings.token_retention_days,
        )

    def within(self, given: RetentionSettings) -> "Retention":
        """Keep data as long as somebody wants, and never longer than this."""
        wanted = {name: min(days, getattr(self, name)) for name, days in values(given).items()}
        kept = msgspec.structs.replace(self, **wanted)
        # What was delivered is an event: the log of it is not kept any longer.
        return msgspec.structs.replace(kept, webhook_log=min(kept.webhook_log, kept.events))


class Bounds(msgspec.Struct, frozen=True):
    """Within which companies choose: what the installation keeps at the most, tells at the least.

    A company's `given` settings apply within them, also when they were set before.
    """

    retention: Retention
    locations: Locations

    @classmethod
    def of(cls, settings: Settings) -> "Bounds":
        """Read what the installation allows."""
        return cls(Retention.longest(settings), Locations.least(settings))


class BrandSettings(msgspec.Struct, kw_only=True, frozen=True):
    """How a company calls itself to its customers, as it is set."""

    name: Clearable[Brand] = UNSET
    color: Clearable[Color] = UNSET
    logo: Clearable[Logo] = UNSET


class Branding(msgspec.Struct, kw_only=True, frozen=True):
    """How a company calls itself to its customers, as it applies."""

    name: Brand
    color: Color | None = None
    logo: Logo | None = None


class SenderSettings(msgspec.Struct, kw_only=True, frozen=True):
    """Whom messages come from, as it is set."""

    sms: Clearable[SmsSender] = UNSET
    email: Clearable[EmailSender] = UNSET


class Senders(msgspec.Struct, kw_only=True, frozen=True):
    """Whom messages come from, as it applies; without one, the brand."""

    sms: SmsSender | None = None
    email: EmailSender | None = None


class NewsSettings(msgspec.Struct, kw_only=True, frozen=True):
    """What recipients are told of their deliveries, as it is set."""

    on_its_way: Clearable[Channels] = UNSET
    next_stop: Clearable[Channels] = UNSET
    delivered: Clearable[Channels] = UNSET
    could_not_be_delivered: Clearable[Channels] = UNSET
    cancelled: Clearable[Channels] = UNSET
    sms_per_day: Clearable[NewsPerDay] = UNSET
    texts: Clearable[Texts] = UNSET


class News(msgspec.Struct, kw_only=True, frozen=True):
    """What recipients are told of their deliveries, as it applies."""

    on_its_way: Channels = msgspec.field(default_factory=lambda: ["push", "sms", "email"])
    next_stop: Channels = msgspec.field(default_factory=lambda: ["push", "sms"])
    delivered: Channels = msgspec.field(default_factory=lambda: ["push", "email", "sms"])
    could_not_be_delivered: Channels = msgspec.field(
        default_factory=lambda: ["push", "sms", "email"]
    )
    cancelled: Channels = msgspec.field(default_factory=lambda: ["push", "email"])
    sms_per_day: NewsPerDay = 5000
    texts: Texts = msgspec.field(default_factory=dict)


class StoreSettings(msgspec.Struct, kw_only=True, frozen=True):
    """What a store wants different from its company, as it is set."""

    locale: Clearable[Locale] = UNSET
    codes: Clearable[CodeSettings] = UNSET
    branding: Clearable[BrandSettings] = UNSET
    senders: Clearable[SenderSettings] = UNSET
    news: Clearable[NewsSettings] = UNSET
    return_origins: Clearable[ReturnOrigins] = UNSET
    orders: Clearable[OrdersAllowed] = UNSET


DEFAULT_ZONE: Final = "UTC"
DEFAULT_LOCALE: Final = "en"
DEFAULT_QUOTE_LIFE: Final = 30 * 60


class CompanySettings(msgspec.Struct, kw_only=True, frozen=True, dict=True):
    """What applies to a company, or to one of its stores."""

    company_name: str
    mode: Mode
    country: str | None
    time_zone: str
    locale: str
    currency: str | None
    order_config: UUID | None
    quote_life: int
    dispatch_requires: DispatchRequires
    undelivered_charge: UndeliveredCharge
    return_fee: ReturnFee | None
    speed_limit_kmh: int | None
    codes: Codes
    branding: Branding
    senders: Senders
    news: News
    locations: Locations
    routing: Pace
    retention: RetentionSettings
    # Where customers of a store may come back to after they paid.
    return_origins: ReturnOrigins = msgspec.field(default_factory=list)
    # Whether customers of a store may place orders themselves.
    orders: bool = False

    def sender(self, channel: str) -> str:
        """Tell whom a message on a channel comes from; an SMS takes eleven letters and digits."""
        if channel == "sms":
            plain = "".join(
                each for each in self.branding.name if each.isascii() and each.isalnum()
            )
            return self.senders.sms or plain[:11]
        return self.senders.email or self.branding.name

    @cached_property
    def zone(self) -> ZoneInfo:
        """Where the company's clocks are."""
        return ZoneInfo(self.time_zone)

    def day(self, on: date) -> tuple[datetime, datetime]:
        """Tell when a day of the company begins, and when the next one does."""
        # Midnight by the clock on the wall: a day may have 23 or 25 hours.
        return moment(on, time(), self.zone), moment(on, time(), self.zone, later=1)


def moment(on: date, clock: time, zone: ZoneInfo, *, later: int = 0) -> datetime:
    """Tell when a clock on the wall shows a time, so many days after a day."""
    return datetime.combine(on + timedelta(days=later), clock, zone).astimezone(UTC)


def values(part: Clearable[msgspec.Struct]) -> dict[str, Any]:
    """Answer what is set in a part."""
    if not isinstance(part, msgspec.Struct):
        return {}
    found = ((name, getattr(part, name)) for name in part.__struct_fields__)
    return {name: value for name, value in found if value is not UNSET and value is not None}


def merged(kept: Part, given: Part | None) -> Part:
    """Put a change over what is set: what is left out stays, null goes back to the default."""
    if given is None:
        return type(kept)()
    resulting = {name: getattr(given, name) for name in given.__struct_fields__}
    for name, value in resulting.items():
        present = getattr(kept, name)
        if value is UNSET:
            resulting[name] = present
        elif isinstance(value, msgspec.Struct):
            resulting[name] = merged(present if present is not UNSET else type(value)(), value)
    return type(kept)(**{name: UNSET if v is None else v for name, v in resulting.items()})
