"""Decide whether a rate applies to a shipment, and find every reason why not. Pure rules.

The codes are part of the API, because callers translate them for their users.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

import msgspec

from pannier.kit import money
from pannier.rates import surcharges
from pannier.rates.measures import TENTHS_IN_A_METRE, TENTHS_OF_MILLIMETRES, spelled
from pannier.rates.models import ServiceRate, ZoneSide
from pannier.rates.shipment import Shipment

# The areas and zones around each stop, in the order of the stops.
Held: TypeAlias = Sequence[Container[UUID]]

# The first stop is the origin, all others are destinations.
_SIDES: Final[Mapping[ZoneSide, tuple[int, int | None]]] = {
    "origin": (0, 1),
    "destination": (1, None),
    "both": (0, None),
}


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Criteria for the rates of a request."""

    service_type: str | None = None
    currency: str | None = None
    # Whether to use only rates that shops show.
    public: bool = False


class Reason(NamedTuple):
    """A reason why a rate has no price for a shipment."""

    code: str
    detail: str


class Measure(NamedTuple):
    """A total of all items: its unit, and the reasons outside its bounds."""

    unit: str
    below: str
    above: str
    unknown: Reason


class Asked(NamedTuple):
    """A rate that is compared with a shipment."""

    rate: ServiceRate
    shipment: Shipment
    wanted: Wanted
    held: Held


def reasons(rate: ServiceRate, shipment: Shipment, wanted: Wanted, held: Held) -> Iterator[Reason]:
    """Yield every reason why a rate does not apply. Without a reason, it applies."""
    asked = Asked(rate, shipment, wanted, held)
    for rule in RULES:
        if (reason := rule(asked)) is not None:
            yield reason


def _standing(asked: Asked) -> Reason | None:
    if asked.rate.status != "active":
        return Reason("rate_inactive", "The rate is switched off.")
    if asked.wanted.public and not asked.rate.public:
        return Reason("rate_not_public", "The rate is not shown in shops.")
    return None


def _validity(asked: Asked) -> Reason | None:
    start, end, at = asked.rate.valid_from, asked.rate.valid_until, asked.shipment.at
    if start is not None and at < start:
        return Reason("not_yet_valid", f"The rate begins to hold at {start.isoformat()}.")
    if end is not None and at >= end:
        return Reason("no_longer_valid", f"The rate held until {end.isoformat()}.")
    return None


def _service_type(asked: Asked) -> Reason | None:
    wanted, own = asked.wanted.service_type, asked.rate.service_type
    if wanted is None or wanted == own:
        return None
    return Reason("service_type_differs", f"The rate is of the type {own}, not {wanted}.")


def _currency(asked: Asked) -> Reason | None:
    wanted, own = asked.wanted.currency, asked.rate.currency
    if wanted is None or wanted == own:
        return None
    return Reason("currency_differs", f"The rate is in {own}, not in {wanted}.")


def _service_area(asked: Asked) -> Reason | None:
    area = asked.rate.service_area
    if area is None:
        return None
    return _outside(area, asked.held, 0, None, "service_area")


def _zone(asked: Asked) -> Reason | None:
    zone, side = asked.rate.zone, asked.rate.zone_applies_to
    if zone is None:
        return None
    first, end = _SIDES[side]
    # A single stop is origin and destination.
    return _outside(zone, asked.held, min(first, len(asked.held) - 1), end, "zone")


def _outside(border: UUID, held: Held, first: int, end: int | None, kind: str) -> Reason | None:
    for number, around in enumerate(held[first:end], first + 1):
        if border not in around:
            named = kind.replace("_", " ")
            return Reason(f"outside_{kind}", f"Stop {number} lies outside the rate's {named}.")
    return None


def _order_config(asked: Asked) -> Reason | None:
    own = asked.rate.order_config
    if own is None or own == asked.shipment.order_config:
        return None
    return Reason("order_config_differs", "The rate is for orders of another configuration.")


def _facilitator(asked: Asked) -> Reason | None:
    own = asked.rate.facilitator
    if own is None or own == asked.shipment.facilitator:
        return None
    return Reason("facilitator_differs", "The rate is for another facilitator.")


def _weight(asked: Asked) -> Reason | None:
    rate, lacking = asked.rate, "The rate has bounds of weight, and an item has no weight."
    measure = Measure("kg", "too_light", "too_heavy", Reason("weight_unknown", lacking))
    return _bounded(measure, rate.min_weight, asked.shipment.weight, rate.max_weight)


def _volume(asked: Asked) -> Reason | None:
    rate, lacking = asked.rate, "The rate has bounds of volume, and an item has no size."
    measure = Measure("m³", "too_small", "too_large", Reason("volume_unknown", lacking))
    return _bounded(measure, rate.min_volume, asked.shipment.volume, rate.max_volume)


def _bounded(
    measure: Measure, least: Decimal | None, value: Decimal | None, most: Decimal | None
) -> Reason | None:
    if least is None and most is None:
        return None
    if value is None:
        return measure.unknown
    said = f"All items are {spelled(value)} {measure.unit}"
    if least is not None and value < least:
        return Reason(measure.below, f"{said}, below {spelled(least)} {measure.unit}.")
    if most is not None and value > most:
        return Reason(measure.above, f"{said}, above {spelled(most)} {measure.unit}.")
    return None


def _distance(asked: Asked) -> Reason | None:
    rate, metres = asked.rate, asked.shipment.route.distance
    if rate.min_distance is not None and metres < rate.min_distance:
        return Reason("too_near", f"The way is {metres} m, below {rate.min_distance} m.")
    if rate.max_distance is None:
        return None
    unit = rate.max_distance_unit
    if metres * TENTHS_IN_A_METRE <= rate.max_distance * TENTHS_OF_MILLIMETRES[unit]:
        return None
    most = spelled(rate.max_distance)
    return Reason("too_far", f"The way is {metres} m, above {most} {unit}.")


def _stops(asked: Asked) -> Reason | None:
    count, least, most = len(asked.shipment.stops), asked.rate.min_stops, asked.rate.max_stops
    if least is not None and count < least:
        return Reason("too_few_stops", f"There are {count} stops, below {least}.")
    if most is not None and count > most:
        return Reason("too_many_stops", f"There are {count} stops, above {most}.")
    return None


def _cash(asked: Asked) -> Reason | None:
    rate, shipment = asked.rate, asked.shipment
    if not shipment.cod:
        return None
    if not rate.has_cod_fee:
        return Reason("cod_not_taken", "The rate takes no cash on delivery.")
    if shipment.cod_currency not in (None, rate.currency):
        return Reason(
            "cod_currency_differs",
            f"The rate is in {rate.currency}, the cash in {shipment.cod_currency}.",
        )
    return _cash_bounds(rate, shipment.cod_amount)


def _cash_bounds(rate: ServiceRate, amount: int | None) -> Reason | None:
    least, most = rate.min_cod, rate.max_cod
    if amount is None:
        if least is most is None and surcharges.of_cash(rate).method != "percentage":
            return None
        return Reason("cod_amount_unknown", "The rate depends on how much cash is collected.")
    told = f"The cash is {money.major(amount, rate.currency)} {rate.currency}"
    if least is not None and amount < least:
        return Reason("cod_too_low", f"{told}, below {money.major(least, rate.currency)}.")
    if most is not None and amount > most:
        return Reason("cod_too_high", f"{told}, above {money.major(most, rate.currency)}.")
    return None


RULES: Final[tuple[Callable[[Asked], Reason | None], ...]] = (
    _standing,
    _validity,
    _service_type,
    _currency,
    _service_area,
    _zone,
    _order_config,
    _facilitator,
    _weight,
    _volume,
    _distance,
    _stops,
    _cash,
)
