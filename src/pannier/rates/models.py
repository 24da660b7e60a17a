"""The rows of rates.

Amounts are whole minor units of the rate's currency. What is multiplied into one (a fee for each
kilometre, a per cent) is an exact decimal, and never a float.
"""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, ClassVar, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db.row import OwnRow
from pannier.payloads.models import LengthUnit, WeightUnit
from pannier.web.ancestor import ACCEPTED

Status = Literal["active", "inactive"]
Method = Literal[
    "fixed_rate", "per_meter", "per_drop", "parcel", "weight", "volume", "multi_zone_distance",
    "algorithm",
]  # fmt: skip
DistanceUnit = Literal["m", "km", "ft", "yd", "mi"]
Rounding = Literal["exact", "started_unit"]
ZoneSide = Literal["origin", "destination", "both"]
FeeMethod = Literal["flat", "percentage"]
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
PartnerType = Literal["contact", "vendor"]
# The lists of a rate.
LISTS: Final = (
    "meter_fees", "drop_fees", "weight_fees", "volume_fees", "parcel_fees", "zone_fees",
    "peak_windows",
)  # fmt: skip


class MeterFee(msgspec.Struct, frozen=True):
    """What a way costs that is no longer than this, in the rate's `max_distance_unit`."""

    accepts: ClassVar = ACCEPTED["service rate's fees"]
    distance: Decimal
    fee: int


class Band(msgspec.Struct, frozen=True):
    """What stops, kilograms or cubic metres cost, from `min` up to `max`; no `max` has no end.

    Stops are counted: both ends are in. Of weights and volumes the end belongs to the next band.
    """

    accepts: ClassVar = ACCEPTED["service rate's fees"]
    min: Decimal
    max: Decimal | None
    fee: int


class ParcelFee(msgspec.Struct, frozen=True, kw_only=True):
    """What a parcel costs that fits into this box and weighs no more."""

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
    """What each `per_meter_unit` of the way costs inside a zone or an area, or else everywhere.

    Where several hold a piece of the way, the one of the highest priority does, and of equals the
    first; those with neither zone nor area come after all others.
    """

    label: str | None = None
    zone: UUID | None = None
    service_area: UUID | None = None
    priority: int = 0
    fee: Decimal


class PeakWindow(msgspec.Struct, frozen=True, kw_only=True):
    """Hours of the day by the rate's clock that cost more; `days` are those on which they begin.

    The start is in, the end is not; an end that is not after the start is on the next day. No
    `days` are all of them. What a window does not say of its fee, the rate's own fee says.
    """

    days: list[Weekday] = msgspec.field(default_factory=list)
    start: str
    end: str
    method: FeeMethod | None = None
    flat_fee: int | None = None
    percent: Decimal | None = None


class ServiceRate(OwnRow, kw_only=True):
    """A rate, in its present version."""

    service_name: str
    service_type: str
    status: Status = "active"
    # Whether shops show it to their customers.
    public: bool = False
    currency: str

    # What it holds for. Bounds include their ends; the time ends before `valid_until`.
    service_area: UUID | None = None
    zone: UUID | None = None
    zone_applies_to: ZoneSide = "both"
    order_config: UUID | None = None
    facilitator: UUID | None = None
    facilitator_type: PartnerType | None = None
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

    # How its price is found.
    rate_calculation_method: Method
    base_fee: int = 0
    per_meter_flat_rate_fee: Decimal | None = None
    per_meter_unit: DistanceUnit = "km"
    distance_rounding: Rounding = "exact"
    meter_fees: list[MeterFee] = msgspec.field(default_factory=list)
    # Whether the last distance, weight or volume goes on for ever.
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

    has_cod_fee: bool = False
    cod_calculation_method: FeeMethod | None = None
    cod_flat_fee: int | None = None
    cod_percent: Decimal | None = None

    # One window of every day by itself, or several.
    has_peak_hours_fee: bool = False
    peak_hours_calculation_method: FeeMethod | None = None
    peak_hours_flat_fee: int | None = None
    peak_hours_percent: Decimal | None = None
    peak_hours_start: str | None = None
    peak_hours_end: str | None = None
    peak_windows: list[PeakWindow] = msgspec.field(default_factory=list)
    # The clock of its windows; the company's, if none.
    timezone: str | None = None

    # Seconds that its quotes live; the company's, if none.
    quote_life: int | None = None
    duration_terms: str | None = None
    estimated_days: int | None = None

    @property
    def entries(self) -> int:
        """How much it lists: fees and windows of all kinds together."""
        return sum(len(getattr(self, name)) for name in LISTS)
