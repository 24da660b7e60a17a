"""Rates in JSON. Numbers other than amounts are exact decimals: a number or a numeric string."""

from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.accounts.company_settings.schemas import Currency
from pannier.db import PageIn
from pannier.kit.money import MAX_AMOUNT
from pannier.kit.wording import MESSAGE, MINOR_UNITS
from pannier.partners.schemas import PriceGroup
from pannier.places.schemas import AreaId
from pannier.rates.models import (
    Band,
    DistanceUnit,
    FeeMethod,
    MeterFee,
    Method,
    ParcelFee,
    PeakWindow,
    Rounding,
    ServiceRate,
    Status,
    SurchargeKind,
    ZoneSide,
)
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, CompanyMeta, Given
from pannier.web.former_names import former_name
from pannier.web.identifiers import identifier
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema
from pannier.web.tax import TaxRate
from pannier.web.times import Day, Moment, Time

MAX_TIERS = 200
# Far above every price, and low enough that no sum of fees exceeds its column.
MAX_FEE = MAX_AMOUNT // 1_000_000

ServiceName = Annotated[str, Meta(min_length=1, max_length=200, examples=["Same day"])]
ServiceType = Annotated[str, Meta(min_length=1, max_length=100, examples=["express"])]
Fee = Annotated[
    int,
    Meta(
        ge=0,
        le=MAX_FEE,
        description="In minor units of the currency.",
        examples=[500],
        extra={MESSAGE: MINOR_UNITS},
    ),
]
Number = Annotated[Decimal, Meta(examples=[80])]
Percent = Annotated[Decimal, Meta(description="Per cent.", examples=[12])]
Kilograms = Annotated[Decimal, Meta(description="Kilograms of all items.", examples=[30])]
CubicMetres = Annotated[Decimal, Meta(description="Cubic metres of all items.", examples=[2])]
Count = Annotated[int, Meta(ge=1, le=1000, examples=[2])]
Metres = Annotated[int, Meta(ge=0, le=100_000_000, description="Metres.", examples=[1000])]
ZoneId = Annotated[str, identifier("zone_0QwRt6JkXm3PsD7f", "A zone.", min_length=1, max_length=64)]
OrderConfigId = Annotated[
    str,
    identifier(
        "order_config_7hJw2LsQ9pXe4VbN",
        "An order configuration, or its key.",
        min_length=1,
        max_length=64,
    ),
]
FacilitatorId = Annotated[
    str,
    identifier("vendor_7TgYb3MxKs5RvL0a", "A vendor or a contact.", min_length=1, max_length=64),
]
MAX_CUSTOMERS = 200
MAX_PRICE_GROUPS = 50
CustomerId = Annotated[
    str,
    identifier(
        "contact_4DnWc7ZsPq1XhJ9e", "A customer, contact or vendor.", min_length=1, max_length=64
    ),
]
Customers = Annotated[
    list[CustomerId],
    Meta(
        max_length=MAX_CUSTOMERS,
        description="Contacts or vendors. The rate is only for them and for `price_groups`.",
    ),
]
PriceGroups = Annotated[
    list[PriceGroup],
    Meta(
        max_length=MAX_PRICE_GROUPS,
        description="The rate is only for customers of these groups, and for `customers`.",
    ),
]
MethodIn = Annotated[
    Literal[Method, "fixed_meter", "algo"],
    Meta(description="The pricing method. `fixed_meter` is `fixed_rate`, `algo` is `algorithm`."),
]
Clock = Annotated[str, Meta(max_length=8, description="Local time, `HH:MM`.", examples=["17:00"])]
TimeZone = Annotated[
    str,
    Meta(
        max_length=64,
        description="IANA name. Defaults to the company's.",
        examples=["Asia/Singapore"],
    ),
]
Formula = Annotated[
    str,
    Meta(
        max_length=2000,
        description="A price in minor units, from `distance_km`, `time_min`, `stops`, `weight_kg`, "
        "`volume_m3`, `items` and `base_fee`, with `+ - * /`, comparisons, "
        "`min max ceil floor round if`.",
        examples=["max(300, distance_km * 80)"],
    ),
]
Life = Annotated[
    int,
    Meta(ge=60, le=7 * 86_400, description="Seconds. Defaults to the company's.", examples=[900]),
]
MeterFees = Annotated[list[MeterFee], Meta(max_length=MAX_TIERS)]
Bands = Annotated[list[Band], Meta(max_length=MAX_TIERS)]
ParcelFees = Annotated[list[ParcelFee], Meta(max_length=MAX_TIERS)]
PeakWindows = Annotated[list[PeakWindow], Meta(max_length=100)]


class ZoneFeeIn(msgspec.Struct, kw_only=True):
    """The price per distance unit in a zone or an area, or anywhere else."""

    label: Annotated[str, Meta(max_length=100, examples=["Centre"])] | None = None
    zone: ZoneId | None = None
    service_area: AreaId | None = None
    priority: Annotated[int, Meta(ge=-1000, le=1000, examples=[1])] = 0
    fee: Number


class SurchargeRuleIn(msgspec.Struct, kw_only=True):
    """A surcharge on top of the price, if all its conditions are met."""

    kind: SurchargeKind
    name: Annotated[str, Meta(min_length=1, max_length=100, examples=["Fuel surcharge"])]
    percent: Annotated[
        Decimal | None,
        Meta(
            description="Per cent of the price without surcharges and tax. For `insured_value`, "
            "of the declared value of the items.",
            examples=[8.5],
        ),
    ] = None
    flat_fee: Annotated[
        Fee | None, Meta(description="Instead of `percent`. For items, the fee of each of them.")
    ] = None
    dates: Annotated[
        list[Day],
        Meta(max_length=100, description="Days on which it applies, in the rate's time zone."),
    ] = msgspec.field(default_factory=list)
    zone: Annotated[ZoneId | None, Meta(description="Any stop is in this zone.")] = None
    service_area: Annotated[AreaId | None, Meta(description="Any stop is in this area.")] = None
    over_length: Annotated[
        Decimal | None,
        Meta(description="For items with a side above this many centimetres.", examples=[120]),
    ] = None
    over_weight: Annotated[
        Decimal | None,
        Meta(description="For items above this many kilograms.", examples=[30]),
    ] = None


class ServiceRateChange(msgspec.Struct, kw_only=True):
    """Changes of a rate. Omitted fields stay as they are; null clears a field."""

    accepts: ClassVar = ACCEPTED["service rate"]
    service_name: Given[ServiceName] = UNSET
    service_type: Given[ServiceType] = UNSET
    status: Given[Status] = UNSET
    public: Given[Annotated[bool, Meta(description="Whether storefronts show the rate.")]] = UNSET
    currency: Given[Currency] = UNSET
    service_area: Clearable[AreaId] = UNSET
    zone: Clearable[ZoneId] = UNSET
    zone_applies_to: Given[ZoneSide] = UNSET
    order_config: Clearable[OrderConfigId] = UNSET
    facilitator: Clearable[FacilitatorId] = UNSET
    customers: Given[Customers] = UNSET
    price_groups: Given[PriceGroups] = UNSET
    valid_from: Clearable[Moment] = UNSET
    valid_until: Clearable[Moment] = UNSET
    min_weight: Clearable[Kilograms] = UNSET
    max_weight: Clearable[Kilograms] = UNSET
    min_volume: Clearable[CubicMetres] = UNSET
    max_volume: Clearable[CubicMetres] = UNSET
    min_distance: Clearable[Metres] = UNSET
    max_distance: Clearable[Number] = UNSET
    max_distance_unit: Given[DistanceUnit] = UNSET
    min_stops: Clearable[Count] = UNSET
    max_stops: Clearable[Count] = UNSET
    min_cod: Clearable[Fee] = UNSET
    max_cod: Clearable[Fee] = UNSET
    rate_calculation_method: Given[MethodIn] = UNSET
    base_fee: Given[Fee] = UNSET
    per_meter_flat_rate_fee: Clearable[Number] = UNSET
    per_meter_unit: Given[DistanceUnit] = UNSET
    distance_rounding: Given[Rounding] = UNSET
    meter_fees: Given[MeterFees] = UNSET
    open_ended: Given[bool] = UNSET
    drop_fees: Given[Bands] = UNSET
    weight_fees: Given[Bands] = UNSET
    volumetric_divisor: Clearable[Annotated[int, Meta(ge=1, le=1_000_000, examples=[5000])]] = UNSET
    volume_fees: Given[Bands] = UNSET
    parcel_fees: Given[ParcelFees] = UNSET
    zone_fees: Given[Annotated[list[ZoneFeeIn], Meta(max_length=MAX_TIERS)]] = UNSET
    algorithm: Clearable[Formula] = UNSET
    minimum_fee: Clearable[Fee] = UNSET
    maximum_fee: Clearable[Fee] = UNSET
    tax_rate: Clearable[TaxRate] = UNSET
    has_cod_fee: Given[bool] = UNSET
    cod_calculation_method: Clearable[FeeMethod] = UNSET
    cod_flat_fee: Clearable[Fee] = UNSET
    cod_percent: Clearable[Percent] = UNSET
    has_peak_hours_fee: Given[bool] = UNSET
    peak_hours_calculation_method: Clearable[FeeMethod] = UNSET
    peak_hours_flat_fee: Clearable[Fee] = UNSET
    peak_hours_percent: Clearable[Percent] = UNSET
    peak_hours_start: Clearable[Clock] = UNSET
    peak_hours_end: Clearable[Clock] = UNSET
    peak_windows: Given[PeakWindows] = UNSET
    surcharges: Given[Annotated[list[SurchargeRuleIn], Meta(max_length=50)]] = UNSET
    time_zone: Clearable[TimeZone] = UNSET
    timezone: Annotated[Clearable[TimeZone], former_name("time_zone")] = UNSET
    quote_life: Clearable[Life] = UNSET
    duration_terms: Clearable[Annotated[str, Meta(max_length=200)]] = UNSET
    estimated_days: Clearable[Annotated[int, Meta(ge=0, le=365)]] = UNSET
    meta: Given[CompanyMeta] = UNSET


class ServiceRateIn(ServiceRateChange, kw_only=True):
    """A new rate."""

    example: ClassVar = {
        "service_name": "Same day",
        "service_type": "express",
        "currency": "SGD",
        "rate_calculation_method": "per_meter",
        "base_fee": 500,
        "per_meter_flat_rate_fee": 80,
        "per_meter_unit": "km",
    }
    service_name: ServiceName
    service_type: ServiceType
    currency: Currency
    rate_calculation_method: MethodIn


class ZoneFeeOut(msgspec.Struct, kw_only=True):
    """The price per distance unit in a zone or an area, or anywhere else."""

    label: str | None
    zone: ZoneId | None
    service_area: AreaId | None
    priority: int
    fee: Number


class SurchargeRuleOut(msgspec.Struct, kw_only=True):
    """A surcharge on top of the price, if all its conditions are met."""

    kind: SurchargeKind
    name: str
    percent: Percent | None
    flat_fee: Fee | None
    dates: list[Day]
    zone: ZoneId | None
    service_area: AreaId | None
    over_length: Number | None
    over_weight: Number | None


class RatePublicIds(msgspec.Struct):
    """The public ids of records that rates refer to, by UUID."""

    names: dict[UUID, str]

    def find(self, uuid: UUID | None) -> str | None:
        return None if uuid is None else self.names.get(uuid)


class ServiceRateOut(ResourceOut, kw_only=True):
    """A rate."""

    id: Annotated[str, Meta(examples=["service_2KfR8yLq0VbN6wTd"])]
    service_name: ServiceName
    service_type: ServiceType
    status: Status
    public: bool
    currency: Currency
    service_area: AreaId | None
    zone: ZoneId | None
    zone_applies_to: ZoneSide
    order_config: OrderConfigId | None
    facilitator: FacilitatorId | None
    customers: list[CustomerId]
    price_groups: list[PriceGroup]
    valid_from: Time | None
    valid_until: Time | None
    min_weight: Kilograms | None
    max_weight: Kilograms | None
    min_volume: CubicMetres | None
    max_volume: CubicMetres | None
    min_distance: Metres | None
    max_distance: Number | None
    max_distance_unit: DistanceUnit
    min_stops: int | None
    max_stops: int | None
    min_cod: Fee | None
    max_cod: Fee | None
    rate_calculation_method: Method
    base_fee: Fee
    per_meter_flat_rate_fee: Number | None
    per_meter_unit: DistanceUnit
    distance_rounding: Rounding
    meter_fees: list[MeterFee]
    open_ended: bool
    drop_fees: list[Band]
    weight_fees: list[Band]
    volumetric_divisor: int | None
    volume_fees: list[Band]
    parcel_fees: list[ParcelFee]
    zone_fees: list[ZoneFeeOut]
    algorithm: Formula | None
    minimum_fee: Fee | None
    maximum_fee: Fee | None
    tax_rate: TaxRate | None
    has_cod_fee: bool
    cod_calculation_method: FeeMethod | None
    cod_flat_fee: Fee | None
    cod_percent: Percent | None
    has_peak_hours_fee: bool
    peak_hours_calculation_method: FeeMethod | None
    peak_hours_flat_fee: Fee | None
    peak_hours_percent: Percent | None
    peak_hours_start: Clock | None
    peak_hours_end: Clock | None
    peak_windows: list[PeakWindow]
    surcharges: list[SurchargeRuleOut]
    time_zone: TimeZone | None
    timezone: Annotated[TimeZone | None, former_name("time_zone")]
    quote_life: int | None
    duration_terms: str | None
    estimated_days: int | None
    meta: dict[str, Any]

    @classmethod
    def from_row(cls, row: ServiceRate, names: RatePublicIds) -> Self:
        fees = [
            ZoneFeeOut(
                label=fee.label,
                zone=names.find(fee.zone),
                service_area=names.find(fee.service_area),
                priority=fee.priority,
                fee=fee.fee,
            )
            for fee in row.zone_fees
        ]
        reference_columns = ("service_area", "zone", "order_config", "facilitator")
        return to_schema(
            row,
            cls,
            zone_fees=fees,
            surcharges=[
                to_schema(
                    rule,
                    SurchargeRuleOut,
                    zone=names.find(rule.zone),
                    service_area=names.find(rule.service_area),
                )
                for rule in row.surcharges
            ],
            customers=[names.names[uuid] for uuid in row.customers],
            **{name: names.find(getattr(row, name)) for name in reference_columns},
        )


class ServiceRateFilters(PageIn, frozen=True, kw_only=True):
    """Filters of rates."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "service_name")

    query: Annotated[str, Meta(max_length=200)] | None = None
    service_type: ServiceType | None = None
    status: Status | None = None
    public: bool | None = None
    currency: Currency | None = None
    service_area: AreaId | None = None
    zone: ZoneId | None = None


accept_response_fields(ServiceRateChange, ServiceRateOut)
