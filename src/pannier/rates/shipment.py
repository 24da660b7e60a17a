"""The shipment: all inputs of pricing besides the rate."""

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from typing import Final, Self
from uuid import UUID

import msgspec

from pannier.kit.geo import Point
from pannier.payloads.models import LengthUnit, WeightUnit
from pannier.rates import measures
from pannier.rates.measures import EXACT
from pannier.routing.route import Route

_ZERO: Final = Decimal(0)


class ShipmentParcel(msgspec.Struct, frozen=True, kw_only=True):
    """An item, in centimetres and kilograms, as far as they are known."""

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
    def weight(self) -> Decimal | None:
        """The total kilograms, or None if an item's weight is unknown."""
        return _sum_known_values(parcel.weight for parcel in self.parcels)

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
        total = _sum_known_values(parcel.volume for parcel in self.parcels)
        return None if total is None else total.scaleb(-6, EXACT)


def to_parcel(
    *,
    length: object = None,
    width: object = None,
    height: object = None,
    dimensions_unit: LengthUnit = "cm",
    weight: object = None,
    weight_unit: WeightUnit = "kg",
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
    return ShipmentParcel(length=length_cm, width=width_cm, height=height_cm, weight=weight_kg)


def _sum_known_values(values: Iterable[Decimal | None]) -> Decimal | None:
    total = _ZERO
    for value in values:
        if value is None:
            return None
        total = EXACT.add(total, value)
    return total
