"""The shipment: all inputs of pricing besides the rate."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Final, Protocol, Self
from uuid import UUID

import msgspec

from pannier.kit.geo import Point
from pannier.payloads.models import LengthUnit, WeightUnit
from pannier.rates import measures
from pannier.rates.measures import EXACT
from pannier.routing.route import Route

_ZERO: Final = Decimal(0)


class ParcelMeasures(msgspec.Struct, frozen=True, kw_only=True):
    """One piece of an item, in centimetres and kilograms, as far as they are known."""

    length: Decimal | None = None
    width: Decimal | None = None
    height: Decimal | None = None
    weight: Decimal | None = None

    @property
    def volume(self) -> Decimal | None:
        """Cubic centimetres, if all three lengths are known."""
        if self.length is None or self.width is None or self.height is None:
            return None
        return EXACT.multiply(EXACT.multiply(self.length, self.width), self.height)


class ShipmentParcel(ParcelMeasures, frozen=True, kw_only=True):
    """An item: equal pieces with the same measures."""

    quantity: int = 1

    @property
    def total_weight(self) -> Decimal | None:
        """The kilograms of all pieces."""
        return _multiply(self.weight, self.quantity)

    @property
    def total_volume(self) -> Decimal | None:
        """The cubic centimetres of all pieces."""
        return _multiply(self.volume, self.quantity)


class MeasuredItem(Protocol):
    """An item with measures in its own units."""

    @property
    def length(self) -> object: ...
    @property
    def width(self) -> object: ...
    @property
    def height(self) -> object: ...
    @property
    def dimensions_unit(self) -> LengthUnit: ...
    @property
    def weight(self) -> object: ...
    @property
    def weight_unit(self) -> WeightUnit: ...
    @property
    def quantity(self) -> int: ...


class TariffCustomer(msgspec.Struct, frozen=True):
    """The contact or vendor who orders, as far as rates depend on it."""

    uuid: UUID
    price_group: str | None = None


class ShipmentBase(msgspec.Struct, frozen=True, kw_only=True):
    """The stops, parcels and time of a shipment, without a route."""

    # The time that decides which rates apply: the scheduled time, or else the current time.
    effective_at: datetime
    scheduled_at: datetime | None = None
    stops: tuple[Point, ...]
    parcels: tuple[ShipmentParcel, ...] = ()
    order_config: UUID | None = None
    facilitator: UUID | None = None
    customer: TariffCustomer | None = None
    # Whether cash is collected, and how much in minor units, if known.
    cod: bool = False
    cod_amount: int | None = None
    cod_currency: str | None = None
    # What the items are worth, in minor units, each with its currency if it has one.
    declared_values: tuple[tuple[int, str | None], ...] = ()


class Shipment(ShipmentBase, frozen=True, kw_only=True, dict=True):
    """The stops, parcels, time and route of a shipment."""

    route: Route

    def with_amounts_in(self, currency: str) -> Self:
        """Return the shipment. Cash and declared values without a currency get this one."""
        return msgspec.structs.replace(
            self,
            cod_currency=self.cod_currency
            if self.cod_amount is None
            else self.cod_currency or currency,
            declared_values=tuple(
                (value, value_currency or currency)
                for value, value_currency in self.declared_values
            ),
        )

    @cached_property
    def item_count(self) -> int:
        """The number of pieces of all items."""
        return sum(parcel.quantity for parcel in self.parcels)

    @cached_property
    def weight(self) -> Decimal | None:
        """The total kilograms, or None if an item's weight is unknown."""
        return _sum_known_values(parcel.total_weight for parcel in self.parcels)

    def sum_declared_values(self, currency: str) -> int:
        """Return the declared value in a currency. Values without a currency count in it."""
        return sum(
            value
            for value, value_currency in self.declared_values
            if value_currency in {None, currency}
        )

    @cached_property
    def volume(self) -> Decimal | None:
        """The total cubic metres, or None if an item's size is unknown."""
        total = _sum_known_values(parcel.total_volume for parcel in self.parcels)
        return None if total is None else total.scaleb(-6, EXACT)


def measure_parcel(item: MeasuredItem) -> ShipmentParcel:
    """Convert the measures of an item."""
    return to_parcel(
        length=item.length,
        width=item.width,
        height=item.height,
        dimensions_unit=item.dimensions_unit,
        weight=item.weight,
        weight_unit=item.weight_unit,
        quantity=item.quantity,
    )


def to_parcel(
    *,
    length: object = None,
    width: object = None,
    height: object = None,
    dimensions_unit: LengthUnit = "cm",
    weight: object = None,
    weight_unit: WeightUnit = "kg",
    quantity: int = 1,
) -> ShipmentParcel:
    """Convert an item's measures, each from its decimal digits."""
    sides = [
        None if side is None else measures.to_centimetres(Decimal(str(side)), dimensions_unit)
        for side in (length, width, height)
    ]
    weight_kg = None if weight is None else measures.to_kilograms(Decimal(str(weight)), weight_unit)
    # Normalise, because 2 and 2.0 are the same weight.
    length_cm, width_cm, height_cm, weight_kg = (
        None if measure is None else measure.normalize(EXACT) for measure in (*sides, weight_kg)
    )
    return ShipmentParcel(
        length=length_cm, width=width_cm, height=height_cm, weight=weight_kg, quantity=quantity
    )


def _multiply(measure: Decimal | None, quantity: int) -> Decimal | None:
    if measure is None or quantity == 1:
        return measure
    return EXACT.multiply(measure, Decimal(quantity))


def _sum_known_values(values: Iterable[Decimal | None]) -> Decimal | None:
    total = _ZERO
    for value in values:
        if value is None:
            return None
        total = EXACT.add(total, value)
    return total
