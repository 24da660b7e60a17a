"""Shipments in requests, and quotes in responses, in JSON."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.accounts.company_settings.schemas import Currency
from pannier.kit.money import MAX_AMOUNT, Money
from pannier.kit.wording import MESSAGE
from pannier.payloads.models import LengthUnit, WeightUnit
from pannier.payloads.place_field import AnyPlace
from pannier.payloads.schemas import EntityIn, EntityOut, PayloadId, Quantity, WaypointIn
from pannier.places.schemas import PlaceIn, PlaceObject
from pannier.places.shapes import GeoJsonPoint, Position
from pannier.rates.models import ServiceRate
from pannier.rates.pricing import PriceLine
from pannier.rates.quotes.quoting import Quote, RateRefusal
from pannier.rates.schemas import (
    CustomerId,
    FacilitatorId,
    Metres,
    OrderConfigId,
    ServiceName,
    ServiceRateIn,
    ServiceType,
)
from pannier.routing.route import Source
from pannier.web.compatibility import ACCEPTED, OBJECT_KEY, accept_response_fields
from pannier.web.documented_types import document_as
from pannier.web.former_names import same_as
from pannier.web.identifiers import identifier
from pannier.web.times import Moment, Time, to_rfc3339

MAX_STOPS = 100
MAX_ITEMS = 1000
# Limits for storefronts, which are public.
MAX_SHOP_STOPS = 20
MAX_SHOP_ITEMS = 100

IsFirm = Annotated[
    bool,
    Meta(
        description="`false` if the distance is an estimate, because the routing engine was "
        "unavailable. Accepting the quote measures it again, and responds with 409 "
        "`quote_replaced` if the amount differs."
    ),
]
LocationField = Annotated[
    AnyPlace,
    Meta(
        description="A place's identifier, a point, or an address with a point.",
        examples=["1.2966,103.8520"],
    ),
]


class StopObject(PlaceObject, kw_only=True):
    """The fields that a stop accepts: those of a place and of an order's stop."""

    accepts: ClassVar = PlaceObject.accepts | WaypointIn.accepts


class PlacedStop(msgspec.Struct, kw_only=True):
    """A stop as an order has it. Only its place counts."""

    place: AnyPlace


StopField = Annotated[
    str | dict[str, Any] | list[Any],
    Meta(
        description="A place's identifier, a point, an address with a point, or a stop.",
        examples=["1.2966,103.8520"],
        extra={OBJECT_KEY: StopObject},
        extra_json_schema=document_as(str, PlaceIn, PlacedStop, GeoJsonPoint, Position),
    ),
]
StopList = Annotated[
    list[StopField],
    Meta(
        description="Stops in order, between `pickup` and `dropoff` if these are sent.",
        examples=[["1.2966,103.8520", "1.3521,103.8198"]],
    ),
]
Cash = Annotated[
    str | int | bool,
    Meta(
        description="Cash to collect, in minor units, or `true`: only rates that accept cash.",
        examples=[5000],
        extra={MESSAGE: "must be true, or a whole number of minor units, such as 1250 for 12.50."},
    ),
]
Seconds = Annotated[int, Meta(ge=0, le=30 * 86_400, examples=[1260])]
Size = Annotated[Decimal, Meta(examples=[40])]
Amount = Annotated[
    int,
    Meta(ge=-MAX_AMOUNT, le=MAX_AMOUNT, description="Minor units.", examples=[1496]),
]
TaxedBy = Annotated[Decimal, Meta(description="Tax in per cent.", examples=[19])]
TaxAmount = Annotated[
    int,
    Meta(
        ge=-MAX_AMOUNT,
        le=MAX_AMOUNT,
        description="The tax in `amount`, in minor units.",
        examples=[239],
    ),
]
NetAmount = Annotated[
    int,
    Meta(
        ge=-MAX_AMOUNT,
        le=MAX_AMOUNT,
        description="`amount` without tax, in minor units.",
        examples=[1257],
    ),
]
RateId = Annotated[
    str,
    identifier(
        "service_2KfR8yLq0VbN6wTd", "A rate, by its identifier.", min_length=1, max_length=64
    ),
]


class ItemIn(msgspec.Struct, kw_only=True, frozen=True):
    """An item. Fields that only orders use are ignored."""

    accepts: ClassVar = ACCEPTED["entity"]
    quantity: Quantity = 1
    length: Size | None = None
    width: Size | None = None
    height: Size | None = None
    dimensions_unit: LengthUnit = "cm"
    weight: Size | None = None
    weight_unit: WeightUnit = "kg"
    declared_value: (
        Annotated[int, Meta(ge=0, le=MAX_AMOUNT, description="In minor units.", examples=[25000])]
        | None
    ) = None
    currency: (
        Annotated[str, Meta(description="Of the declared value.", examples=["SGD"])] | None
    ) = None


Items = Annotated[
    list[ItemIn],
    Meta(
        description="Items to deliver.",
        examples=[[{"weight": 2, "length": 40, "width": 30, "height": 20}]],
    ),
]


class ShopShipmentIn(msgspec.Struct, kw_only=True, frozen=True):
    """A shipment to price in a storefront."""

    accepts: ClassVar = ACCEPTED["quote"]
    explains: ClassVar = {
        "service": "Every rate that matches has a quote; `service_type` narrows them down."
    }
    pickup: LocationField | None = None
    dropoff: LocationField | None = None
    waypoints: Annotated[StopList, Meta(max_length=MAX_SHOP_STOPS)] | None = None
    entities: Annotated[Items, Meta(max_length=MAX_SHOP_ITEMS)] | None = None
    scheduled_at: (
        Annotated[Moment, Meta(description="The scheduled time. Defaults to now.")] | None
    ) = None
    cod: Cash | None = None
    currency: Annotated[Currency, Meta(description="Only rates in this currency.")] | None = None
    service_type: Annotated[ServiceType, Meta(description="Only rates of this type.")] | None = None


class ShopQuoteFilters(ShopShipmentIn, kw_only=True, frozen=True):
    """A shipment to price in a storefront, and the number of quotes."""

    limit: Annotated[int, Meta(ge=1, le=100, description="Number of quotes.")] = 50


class ShipmentIn(ShopShipmentIn, kw_only=True, frozen=True):
    """A shipment to price."""

    waypoints: Annotated[StopList, Meta(max_length=MAX_STOPS)] | None = None
    entities: Annotated[Items, Meta(max_length=MAX_ITEMS)] | None = None
    payload: Annotated[PayloadId, Meta(description="Replaces all locations and items.")] | None = (
        None
    )
    facilitator: FacilitatorId | None = None
    customer: (
        Annotated[
            CustomerId, Meta(description="Also use the rates of this customer, contact or vendor.")
        ]
        | None
    ) = None
    order_config: OrderConfigId | None = None
    distance: (
        Annotated[Metres, Meta(description="Metres of the route, instead of measuring it.")] | None
    ) = None
    time: (
        Annotated[Seconds, Meta(description="Seconds of the route, instead of measuring it.")]
        | None
    ) = None


class QuoteFilters(ShipmentIn, kw_only=True, frozen=True):
    """A shipment to price, and options for the response."""

    limit: Annotated[int, Meta(ge=1, le=500, description="Number of quotes.")] = 100
    explain: Annotated[bool, Meta(description="Also list the other rates and their reasons.")] = (
        False
    )


class PreviewIn(ShipmentIn, kw_only=True, frozen=True):
    """A shipment to price by one rate, saved or not, or by all."""

    example: ClassVar = {
        "pickup": "1.2966,103.8520",
        "dropoff": "1.3521,103.8198",
        "service_rate": "service_2KfR8yLq0VbN6wTd",
    }
    service_rate: RateId | None = None
    rate: Annotated[ServiceRateIn, Meta(description="A rate that is not saved.")] | None = None


class LineOut(msgspec.Struct):
    """A part of a price."""

    code: Annotated[str, Meta(examples=["DISTANCE_FEE"])]
    details: Annotated[str, Meta(examples=["Up to 10 km"])]
    amount: Amount
    currency: Currency


class ReasonOut(msgspec.Struct):
    """A reason why a rate has no price."""

    code: Annotated[str, Meta(examples=["outside_zone"])]
    detail: Annotated[str, Meta(examples=["Stop 2 lies outside the zone."])]


class NamedRate(msgspec.Struct, kw_only=True):
    """A rate's identifiers and names."""

    service_rate_uuid: UUID
    service_rate: Annotated[str, Meta(examples=["service_2KfR8yLq0VbN6wTd"])]
    service_rate_version: Annotated[int, Meta(examples=[1])]
    service_rate_name: ServiceName
    service_name: ServiceName
    service_type: ServiceType


class QuoteOut(NamedRate, kw_only=True):
    """A quote. It can be accepted by its id until it expires."""

    id: Annotated[str, Meta(description="The complete signed quote.", examples=["quote_3kF0m2…"])]
    amount: Amount
    currency: Currency
    amount_decimal: Annotated[str, Meta(description="In major units.", examples=["14.96"])]
    tax_rate: TaxedBy | None
    tax_amount: TaxAmount
    net_amount: NetAmount
    expired_at: Time
    expires_at: Annotated[Time, same_as("expired_at")]
    created_at: Time
    items: list[LineOut]
    distance: Annotated[int, Meta(description="Metres.", examples=[9321])]
    time: Annotated[int, Meta(description="Seconds.", examples=[1260])]
    source: Annotated[Source, Meta(description="How the route was measured.")]
    firm: IsFirm
    duration_terms: str | None
    estimated_days: int | None
    request_id: Annotated[str, Meta(examples=["req_5uJr2EwZ7bQx9KmT"])]

    @classmethod
    def from_quote(cls, quote: Quote, quote_id: str, request_id: str) -> Self:
        return cls(
            id=quote_id,
            amount=quote.amount,
            currency=quote.currency,
            amount_decimal=to_decimal_text(quote.amount, quote.currency),
            tax_rate=quote.tax_rate,
            tax_amount=quote.tax_amount,
            net_amount=quote.amount - quote.tax_amount,
            expired_at=to_rfc3339(quote.expired_at),
            expires_at=to_rfc3339(quote.expired_at),
            created_at=to_rfc3339(quote.created_at),
            items=to_lines_out(quote.lines, quote.currency),
            distance=quote.route.distance,
            time=quote.route.time,
            source=quote.route.source,
            firm=quote.route.firm,
            duration_terms=quote.rate.duration_terms,
            estimated_days=quote.rate.estimated_days,
            request_id=request_id,
            **make_rate_fields(quote.rate),
        )


class RefusalOut(NamedRate, kw_only=True):
    """A rate without a price."""

    reasons: list[ReasonOut]

    @classmethod
    def from_refusal(cls, rejection: RateRefusal) -> Self:
        return cls(reasons=to_reasons_out(rejection), **make_rate_fields(rejection.rate))


class ExplainedOut(msgspec.Struct, kw_only=True):
    """Quotes, and the rates without a price."""

    quotes: list[QuoteOut]
    rejected: Annotated[list[RefusalOut], Meta(description="Up to 500 rates.")]


class PreviewedOut(NamedRate, kw_only=True):
    """The result of one rate: a price with its lines, or the reasons why there is none."""

    matches: bool
    amount: Amount | None
    currency: Currency
    tax_rate: TaxedBy | None
    tax_amount: TaxAmount | None
    net_amount: NetAmount | None
    items: list[LineOut]
    reasons: list[ReasonOut]

    @classmethod
    def from_result(cls, result: Quote | RateRefusal) -> Self:
        rate = result.rate
        if isinstance(result, RateRefusal):
            fields: Mapping[str, Any] = {
                "amount": None,
                "tax_rate": None,
                "tax_amount": None,
                "net_amount": None,
                "items": [],
                "reasons": to_reasons_out(result),
            }
        else:
            items = to_lines_out(result.lines, rate.currency)
            fields = {
                "amount": result.amount,
                "tax_rate": result.tax_rate,
                "tax_amount": result.tax_amount,
                "net_amount": result.amount - result.tax_amount,
                "items": items,
                "reasons": [],
            }
        matches = isinstance(result, Quote)
        return cls(matches=matches, currency=rate.currency, **fields, **make_rate_fields(rate))


class PreviewOut(msgspec.Struct, kw_only=True):
    """A shipment, and the result of each rate."""

    stops: Annotated[int, Meta(examples=[2])]
    distance: Annotated[int, Meta(description="Metres.", examples=[9321])]
    time: Annotated[int, Meta(description="Seconds.", examples=[1260])]
    source: Annotated[Source, Meta(description="How the route was measured.")]
    firm: IsFirm
    items: Annotated[int, Meta(examples=[1])]
    rates: list[PreviewedOut]


def make_rate_fields(rate: ServiceRate) -> dict[str, Any]:
    return {
        "service_rate_uuid": rate.uuid,
        "service_rate": rate.public_id,
        "service_rate_version": rate.version,
        "service_rate_name": rate.service_name,
        "service_name": rate.service_name,
        "service_type": rate.service_type,
    }


def to_lines_out(price_lines: tuple[PriceLine, ...], currency: str) -> list[LineOut]:
    return [LineOut(line.code, line.details, line.amount, currency) for line in price_lines]


def to_reasons_out(rejection: RateRefusal) -> list[ReasonOut]:
    return [ReasonOut(reason.code, reason.detail) for reason in rejection.reasons]


def to_decimal_text(amount: int, currency: str) -> str:
    """Return an amount in major units."""
    return f"{Money(amount, currency).to_decimal():f}"


accept_response_fields(StopObject, WaypointIn)
accept_response_fields(ItemIn, EntityIn)
accept_response_fields(ItemIn, EntityOut)
