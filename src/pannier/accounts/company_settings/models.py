"""The parts of a company's settings: as they are set, and as they apply.

A part that is set has a field for each setting, and only those that somebody set have a value: it
is a column of the company or its store, and the body of a change too. A part that applies has a
value for each, the default where nobody set one.
"""

from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import Annotated, Final, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET, Meta

from pannier.accounts.company_settings.codes import Codes, CodeSettings
from pannier.accounts.company_settings.news import Channels, Texts
from pannier.accounts.company_settings.news import SmsPerDay as NewsPerDay
from pannier.accounts.company_settings.retention import Retention, RetentionSettings
from pannier.kit.credential import Mode
from pannier.kit.money import LARGEST_AMOUNT
from pannier.kit.wording import MESSAGE
from pannier.settings import Settings
from pannier.web.fields import Clearable
from pannier.web.identifiers import identifier

Locale = Annotated[
    str, Meta(min_length=2, max_length=35, description="A BCP 47 tag.", examples=["en-SG"])
]
Metres = Annotated[
    int,
    Meta(ge=5, le=10_000, description="How far a driver moves before that is told.", examples=[25]),
]
Seconds = Annotated[
    int,
    Meta(ge=1, le=3600, description="Between two events of where a driver is.", examples=[5]),
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
Brand = Annotated[
    str, Meta(max_length=100, description="In messages and on sheets.", examples=["Acme"])
]
Color = Annotated[
    str,
    Meta(
        pattern=r"^#[0-9A-Fa-f]{6}\Z",
        description="`#rrggbb`.",
        examples=["#0b7285"],
        extra={MESSAGE: "must be a colour of six hexadecimal digits, such as #0b7285."},
    ),
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
        extra={
            MESSAGE: "must be a phone number such as +6591234567, "
            "or at most 11 letters, digits and spaces."
        },
    ),
]
EmailSender = Annotated[
    str, Meta(max_length=100, description="The name beside the address.", examples=["Acme"])
]


Origin = Annotated[
    str,
    Meta(
        pattern=r"^https?://[A-Za-z0-9.-]{1,253}(:[0-9]{1,5})?\Z",
        max_length=270,
        extra={
            MESSAGE: "must be a scheme and a host without a path, such as https://shop.example.com."
        },
    ),
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
        extra={MESSAGE: "must be minor units such as 450, or a share of the price such as 50%."},
    ),
]
ReturnFee = FeeAmount | FeePercent


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
