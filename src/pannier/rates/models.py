"""The rows of rates.

Amounts are whole minor units of the rate's currency. Factors, such as a fee per kilometre or a per
cent, are exact decimals, never floats.
"""

from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, ClassVar, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db.row import MetaRow
from pannier.kit.local_time import Weekday
from pannier.payloads.models import LengthUnit, WeightUnit
from pannier.web.compatibility import ACCEPTED

Status = Literal["active", "inactive"]
Method = Literal[
    "fixed_rate", "per_meter", "per_drop", "parcel", "weight", "volume", "multi_zone_distance",
    "algorithm",
]  # fmt: skip
DistanceUnit = Literal["m", "km", "ft", "yd", "mi"]
Rounding = Literal["exact", "started_unit"]
ZoneSide = Literal["origin", "destination", "both"]
FeeMethod = Literal["flat", "percentage"]
PartnerType = Literal["contact", "vendor"]
SurchargeKind = Literal["fuel", "holiday", "remote_area", "oversize", "insured_value", "other"]
# The lists of a rate.
LISTS: Final = (
    "meter_fees", "drop_fees", "weight_fees", "volume_fees", "parcel_fees", "zone_fees",
    "peak_windows", "surcharges",
)  # fmt: skip


class MeterFee(msgspec.Struct, frozen=True):
    """The fee of routes up to this distance, in the rate's `max_distance_unit`."""

    accepts: ClassVar = ACCEPTED["service rate's fees"]
    distance: Decimal
    fee: int


class Band(msgspec.Struct, frozen=True):
    """The fee of stops, kilograms or cubic metres from `min` to `max`. No `max` means no limit.

    For stops, `max` is inclusive. For weights and volumes, it belongs to the next band.
    """

    accepts: ClassVar = ACCEPTED["service rate's fees"]
    min: Decimal
    max: Decimal | None
    fee: int


class ParcelFee(msgspec.Struct, frozen=True, kw_only=True):
    """The fee of a parcel that fits into this box and its weight limit."""

    accepts: ClassVar = ACCEPTED["service rate's fees"]
    size: Annotated[str, Meta(max_length=100)]
    length: Decimal
    width: Decimal
    height: Decimal
    dimensions_unit: LengthUnit = "cm"
    weight: Decimal | None = None
    weight_unit: WeightUnit = "kg"
    fee: int


class ZoneFee(msgspec.Struct, frozen=True, kw_only=True):
    """The price per `per_meter_unit` of the route in a zone or an area, or anywhere else.

    Where several fees cover a piece of the route, the highest priority applies, and among equals
    the first. A fee with neither zone nor area applies only where no other does.
    """

    label: str | None = None
    zone: UUID | None = None
    service_area: UUID | None = None
    priority: int = 0
    fee: Decimal


class PeakWindow(msgspec.Struct, frozen=True, kw_only=True):
    """Hours of the rate's local time that cost more. `days` are the days on which they begin.

    The start is inclusive, the end exclusive. An end that is not after the start is on the next
    day. No `days` means every day. A window without a fee uses the rate's.
    """

    days: list[Weekday] = msgspec.field(default_factory=list)
    start: str
    end: str
    method: FeeMethod | None = None
    flat_fee: int | None = None
    percent: Decimal | None = None


class SurchargeRule(msgspec.Struct, frozen=True, kw_only=True):
    """A surcharge on top of the price, if all its conditions are met.

    A percentage is of the price without surcharges and tax. For `insured_value`, it is of the
    declared value of the items.
    """

    kind: SurchargeKind
    name: str
    percent: Decimal | None = None
    # For items that are too large or too heavy, the fee is for each of them.
    flat_fee: int | None = None
    # Days of the rate's local time.
    dates: list[date] = msgspec.field(default_factory=list)
    # A zone or an area with any of the stops.
    zone: UUID | None = None
    service_area: UUID | None = None
    # An item with a side above this many centimetres, or above this many kilograms.
    over_length: Decimal | None = None
    over_weight: Decimal | None = None

    @property
    def has_item_limits(self) -> bool:
        """Whether it is for items that are too large or too heavy."""
        return self.over_length is not None or self.over_weight is not None


class ServiceRate(MetaRow, kw_only=True):
    """A rate, in its current version."""

    service_name: str
    service_type: str
    status: Status = "active"
    # Whether storefronts show it to customers.
    public: bool = False
    currency: str

    # Conditions. Bounds are inclusive, except `valid_until`.
    service_area: UUID | None = None
    zone: UUID | None = None
    zone_applies_to: ZoneSide = "both"
    order_config: UUID | None = None
    facilitator: UUID | None = None
    facilitator_type: PartnerType | None = None
    # Contacts, vendors and price groups. With any of them, the rate is only for these customers.
    customers: list[UUID] = msgspec.field(default_factory=list)
    price_groups: list[str] = msgspec.field(default_factory=list)
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    min_weight: Decimal | None = None
    max_weight: Decimal | None = None
    min_volume: Decimal | None = None
    max_volume: Decimal | None = None
    min_distance: int | None = None
    # In `max_distance_unit`, as `meter_fees` are.
    max_distance: Decimal | None = None
    max_distance_unit: DistanceUnit = "km"
    min_stops: int | None = None
    max_stops: int | None = None
    min_cod: int | None = None
    max_cod: int | None = None

    # Pricing.
    rate_calculation_method: Method
    base_fee: int = 0
    per_meter_flat_rate_fee: Decimal | None = None
    per_meter_unit: DistanceUnit = "km"
    distance_rounding: Rounding = "exact"
    meter_fees: list[MeterFee] = msgspec.field(default_factory=list)
    # Whether the last distance, weight or volume band has no upper limit.
    open_ended: bool = False
    drop_fees: list[Band] = msgspec.field(default_factory=list)
    weight_fees: list[Band] = msgspec.field(default_factory=list)
    volumetric_divisor: int | None = None
    volume_fees: list[Band] = msgspec.field(default_factory=list)
    parcel_fees: list[ParcelFee] = msgspec.field(default_factory=list)
    zone_fees: list[ZoneFee] = msgspec.field(default_factory=list)
    algorithm: str | None = None
    minimum_fee: int | None = None
    maximum_fee: int | None = None
    # Per cent. Defaults to that of the service area or the company.
    tax_rate: Decimal | None = None

    has_cod_fee: bool = False
    cod_calculation_method: FeeMethod | None = None
    cod_flat_fee: int | None = None
    cod_percent: Decimal | None = None

    # One daily window, or several.
    has_peak_hours_fee: bool = False
    peak_hours_calculation_method: FeeMethod | None = None
    peak_hours_flat_fee: int | None = None
    peak_hours_percent: Decimal | None = None
    peak_hours_start: str | None = None
    peak_hours_end: str | None = None
    peak_windows: list[PeakWindow] = msgspec.field(default_factory=list)
    surcharges: list[SurchargeRule] = msgspec.field(default_factory=list)
    # The time zone of its windows and dates. Defaults to the company's.
    timezone: str | None = None

    # The lifetime of its quotes in seconds. Defaults to the company's.
    quote_life: int | None = None
    duration_terms: str | None = None
    estimated_days: int | None = None

    @property
    def is_bound(self) -> bool:
        """Whether the rate is only for some customers."""
        return bool(self.customers or self.price_groups)

    @property
    def bordered_entries(self) -> list[ZoneFee | SurchargeRule]:
        """Fees and surcharges that may apply in a zone or an area."""
        return [*self.zone_fees, *self.surcharges]

    @property
    def entry_count(self) -> int:
        """The number of fees and windows of all kinds."""
        return sum(len(getattr(self, name)) for name in LISTS)
