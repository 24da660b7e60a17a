"""The sections of a company's settings: configured, and effective with defaults.

A configured section (`…Settings`) has a field for each setting; only configured settings have a
value. It is a column of the company or its store, and the body of a change. An effective section
has a value for each setting.
"""

from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import Annotated, Final
from uuid import UUID
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET, Meta

from pannier.accounts.company_settings.billing import (
    CancellationFees,
    CancellationRefund,
    DispatchDemand,
    DispatchRequires,
    Fee,
    InvoiceTerms,
    PriceChanges,
    TaxTerms,
    UndeliveredCharge,
)
from pannier.accounts.company_settings.codes import Codes, CodeSettings
from pannier.accounts.company_settings.news import Channels, Texts
from pannier.accounts.company_settings.news import SmsPerDay as NewsPerDay
from pannier.accounts.company_settings.recipients import Recipients
from pannier.accounts.company_settings.retention import Retention, RetentionSettings
from pannier.kit.credential import Mode
from pannier.kit.wording import MESSAGE
from pannier.settings import Settings
from pannier.web.fields import Clearable
from pannier.web.identifiers import identifier

Locale = Annotated[
    str, Meta(min_length=2, max_length=35, description="A BCP 47 tag.", examples=["en-SG"])
]
Metres = Annotated[
    int,
    Meta(
        ge=5,
        le=10_000,
        description="Metres that a driver moves before an event is emitted.",
        examples=[25],
    ),
]
Seconds = Annotated[
    int,
    Meta(
        ge=1,
        le=3600,
        description="Minimum seconds between two events about a driver's position.",
        examples=[5],
    ),
]
DetourFactor = Annotated[
    float,
    Meta(
        ge=1,
        le=3,
        description="Road distance divided by the great-circle distance.",
        examples=[1.3],
    ),
]
SpeedKmh = Annotated[
    float,
    Meta(ge=1, le=200, description="Average speed between stops, in km/h.", examples=[50]),
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
    str,
    Meta(
        max_length=100,
        description="The name in messages and on delivery sheets.",
        examples=["Acme"],
    ),
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
        "The id of an uploaded image: JPEG, PNG or WebP.",
        max_length=64,
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
    str, Meta(max_length=100, description="The sender's name in emails.", examples=["Acme"])
]


ReturnOrigin = Annotated[
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
    bool, Meta(description="Whether the store's customers may place orders from quotes.")
]
UnpaidOrderMinutes = Annotated[
    int,
    Meta(
        ge=5,
        le=30 * 24 * 60,
        description="Minutes until an unpaid order that a customer placed is canceled. Never if "
        "not set.",
        examples=[60],
    ),
]
ReturnOrigins = Annotated[
    list[ReturnOrigin],
    Meta(
        max_length=20,
        description="Origins that the store's customers may return to after payment. None if not "
        "set.",
        examples=[["https://shop.example.com"]],
    ),
]


class LocationSettings(msgspec.Struct, kw_only=True, frozen=True):
    """Configured minimums for the events about a driver's moves."""

    distance: Clearable[Metres] = UNSET
    interval: Clearable[Seconds] = UNSET


class Locations(msgspec.Struct, kw_only=True, frozen=True):
    """A driver's move emits an event after this distance and interval."""

    distance: Metres = 25
    interval: Seconds = 5

    @classmethod
    def from_settings(cls, settings: Settings) -> "Locations":
        """Return the smallest distance and interval that the installation allows."""
        return cls(distance=settings.location_distance, interval=settings.location_interval)

    def apply_minimum(self, requested_locations: "Locations") -> "Locations":
        """Return the requested distance and interval, raised to these minimums."""
        return Locations(
            distance=max(self.distance, requested_locations.distance),
            interval=max(self.interval, requested_locations.interval),
        )


class PaceSettings(msgspec.Struct, kw_only=True, frozen=True):
    """Configured defaults of routing."""

    detour_factor: Clearable[DetourFactor] = UNSET
    speed_kmh: Clearable[SpeedKmh] = UNSET
    adhoc_distance: Clearable[AdhocDistance] = UNSET


class Pace(msgspec.Struct, kw_only=True, frozen=True):
    """Effective defaults of routing."""

    detour_factor: DetourFactor = 1.3
    speed_kmh: SpeedKmh = 50
    adhoc_distance: AdhocDistance = 6000


class InstallationLimits(msgspec.Struct, frozen=True):
    """The limits that the installation sets to companies' settings.

    They also apply to settings that a company made before.
    """

    retention: Retention
    locations: Locations

    @classmethod
    def from_settings(cls, settings: Settings) -> "InstallationLimits":
        return cls(Retention.from_settings(settings), Locations.from_settings(settings))


class BrandSettings(msgspec.Struct, kw_only=True, frozen=True):
    """A company's configured brand."""

    name: Clearable[Brand] = UNSET
    color: Clearable[Color] = UNSET
    logo: Clearable[Logo] = UNSET


class Branding(msgspec.Struct, kw_only=True, frozen=True):
    """A company's effective brand."""

    name: Brand
    color: Color | None = None
    logo: Logo | None = None


class SenderSettings(msgspec.Struct, kw_only=True, frozen=True):
    """Configured senders of messages."""

    sms: Clearable[SmsSender] = UNSET
    email: Clearable[EmailSender] = UNSET


class Senders(msgspec.Struct, kw_only=True, frozen=True):
    """Effective senders of messages; the brand by default."""

    sms: SmsSender | None = None
    email: EmailSender | None = None


class NewsSettings(msgspec.Struct, kw_only=True, frozen=True):
    """Configured notifications to recipients."""

    on_its_way: Clearable[Channels] = UNSET
    next_stop: Clearable[Channels] = UNSET
    delivered: Clearable[Channels] = UNSET
    could_not_be_delivered: Clearable[Channels] = UNSET
    cancelled: Clearable[Channels] = UNSET
    sms_per_day: Clearable[NewsPerDay] = UNSET
    texts: Clearable[Texts] = UNSET


class News(msgspec.Struct, kw_only=True, frozen=True):
    """Effective notifications to recipients."""

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
    """Settings in which a store differs from its company."""

    locale: Clearable[Locale] = UNSET
    codes: Clearable[CodeSettings] = UNSET
    branding: Clearable[BrandSettings] = UNSET
    senders: Clearable[SenderSettings] = UNSET
    news: Clearable[NewsSettings] = UNSET
    return_origins: Clearable[ReturnOrigins] = UNSET
    orders: Clearable[OrdersAllowed] = UNSET
    dispatch_requires: Clearable[DispatchDemand] = UNSET
    unpaid_order_minutes: Clearable[UnpaidOrderMinutes] = UNSET


DEFAULT_ZONE: Final = "UTC"
DEFAULT_LOCALE: Final = "en"
DEFAULT_QUOTE_SECONDS: Final = 30 * 60


class CompanySettings(msgspec.Struct, kw_only=True, frozen=True, dict=True):
    """Effective settings of a company, or of one of its stores."""

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
    return_fee: Fee | None
    price_changes: PriceChanges
    cancellation_fees: CancellationFees
    cancellation_refund: CancellationRefund
    tax: TaxTerms
    tax_number: str | None
    invoices: InvoiceTerms
    speed_limit_kmh: int | None
    dispatch_phone: str | None
    unique_internal_ids: bool
    codes: Codes
    branding: Branding
    senders: Senders
    news: News
    locations: Locations
    # Whether the company has chosen how often moves are emitted.
    has_location_interval: bool
    routing: Pace
    retention: RetentionSettings
    recipients: Recipients
    # Origins that a store's customers may return to after payment.
    return_origins: ReturnOrigins = msgspec.field(default_factory=list)
    # Whether a store's customers may place orders themselves.
    orders: bool = False
    # Minutes until an unpaid order of a store's customer is canceled.
    unpaid_order_minutes: int | None = None

    def get_sender_name(self, channel: str) -> str:
        """Return the sender name for a channel.

        An SMS sender name has at most eleven letters and digits.
        """
        if channel == "sms":
            sms_name = "".join(
                char for char in self.branding.name if char.isascii() and char.isalnum()
            )
            return self.senders.sms or sms_name[:11]
        return self.senders.email or self.branding.name

    @cached_property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    def get_day_bounds(self, day: date) -> tuple[datetime, datetime]:
        """Return the start of a day and of the next day, in the company's time zone."""
        # Midnight in local time: a day may have 23 or 25 hours.
        start = local_time_to_utc(day, time(), self.zone)
        return start, local_time_to_utc(day, time(), self.zone, days_later=1)


def local_time_to_utc(
    day: date, local_time: time, zone: ZoneInfo, *, days_later: int = 0
) -> datetime:
    """Convert a local time to UTC, a number of days after a date."""
    return datetime.combine(day + timedelta(days=days_later), local_time, zone).astimezone(UTC)
