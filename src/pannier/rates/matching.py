"""Decide whether a rate applies to a shipment, and list the reasons if it does not. Pure rules.

The codes are part of the API, because callers translate them for their users.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, NamedTuple, TypeAlias
from uuid import UUID

import msgspec

from pannier.kit import money
from pannier.rates import surcharges
from pannier.rates.measures import TENTHS_IN_A_METRE, TENTHS_OF_MILLIMETRES, format_number
from pannier.rates.models import ServiceRate, ZoneSide
from pannier.rates.shipment import Shipment, TariffCustomer

# The areas and zones around each stop, in the order of the stops.
ZonesByStop: TypeAlias = Sequence[Container[UUID]]

# The first stop is the origin, all others are destinations.
_STOPS_BY_SIDE: Final[Mapping[ZoneSide, tuple[int, int | None]]] = {
    "origin": (0, 1),
    "destination": (1, None),
    "both": (0, None),
}


class RateCriteria(msgspec.Struct, frozen=True, kw_only=True):
    """Criteria for the rates of a request."""

    service_type: str | None = None
    currency: str | None = None
    # Whether to use only rates that storefronts show.
    public: bool = False


class NoPriceReason(NamedTuple):
    """A reason why a rate has no price for a shipment."""

    code: str
    detail: str


class BoundedMeasure(NamedTuple):
    """A total of all items: its unit, and the reasons if it is outside the bounds or unknown."""

    unit: str
    below_code: str
    above_code: str
    unknown: NoPriceReason


class RateCandidate(NamedTuple):
    """A rate to compare with a shipment."""

    rate: ServiceRate
    shipment: Shipment
    criteria: RateCriteria
    zones_by_stop: ZonesByStop


def list_no_price_reasons(
    rate: ServiceRate, shipment: Shipment, criteria: RateCriteria, zones_by_stop: ZonesByStop
) -> Iterator[NoPriceReason]:
    """Yield all reasons why a rate does not apply. A rate without reasons applies."""
    candidate = RateCandidate(rate, shipment, criteria, zones_by_stop)
    for rule in RULES:
        if (reason := rule(candidate)) is not None:
            yield reason


def _check_status(candidate: RateCandidate) -> NoPriceReason | None:
    if candidate.rate.status != "active":
        return NoPriceReason("rate_inactive", "The rate is not active.")
    if candidate.criteria.public and not candidate.rate.public:
        return NoPriceReason("rate_not_public", "The rate is not shown in storefronts.")
    return None


def _check_validity(candidate: RateCandidate) -> NoPriceReason | None:
    start, end = candidate.rate.valid_from, candidate.rate.valid_until
    moment = candidate.shipment.effective_at
    if start is not None and moment < start:
        return NoPriceReason("not_yet_valid", f"The rate is not valid before {start.isoformat()}.")
    if end is not None and moment >= end:
        return NoPriceReason("no_longer_valid", f"The rate was valid until {end.isoformat()}.")
    return None


def _check_service_type(candidate: RateCandidate) -> NoPriceReason | None:
    requested_type, rate_type = candidate.criteria.service_type, candidate.rate.service_type
    if requested_type is None or requested_type == rate_type:
        return None
    return NoPriceReason(
        "service_type_differs", f"The rate's service type is {rate_type}, not {requested_type}."
    )


def _check_currency(candidate: RateCandidate) -> NoPriceReason | None:
    requested_currency, rate_currency = candidate.criteria.currency, candidate.rate.currency
    if requested_currency is None or requested_currency == rate_currency:
        return None
    return NoPriceReason(
        "currency_differs", f"The rate's currency is {rate_currency}, not {requested_currency}."
    )


def _check_service_area(candidate: RateCandidate) -> NoPriceReason | None:
    area = candidate.rate.service_area
    if area is None:
        return None
    return _check_inside(area, candidate.zones_by_stop, 0, None, "service_area")


def _check_zone(candidate: RateCandidate) -> NoPriceReason | None:
    zone, side = candidate.rate.zone, candidate.rate.zone_applies_to
    if zone is None:
        return None
    first, end = _STOPS_BY_SIDE[side]
    # A single stop is origin and destination.
    return _check_inside(
        zone, candidate.zones_by_stop, min(first, len(candidate.zones_by_stop) - 1), end, "zone"
    )


def _check_inside(
    border: UUID, zones_by_stop: ZonesByStop, first: int, end: int | None, kind: str
) -> NoPriceReason | None:
    for number, stop_zones in enumerate(zones_by_stop[first:end], first + 1):
        if border not in stop_zones:
            label = kind.replace("_", " ")
            return NoPriceReason(
                f"outside_{kind}", f"Stop {number} lies outside the rate's {label}."
            )
    return None


def _check_order_config(candidate: RateCandidate) -> NoPriceReason | None:
    order_config = candidate.rate.order_config
    if order_config is None or order_config == candidate.shipment.order_config:
        return None
    return NoPriceReason("order_config_differs", "The rate is for orders of another configuration.")


def _check_facilitator(candidate: RateCandidate) -> NoPriceReason | None:
    facilitator = candidate.rate.facilitator
    if facilitator is None or facilitator == candidate.shipment.facilitator:
        return None
    return NoPriceReason("facilitator_differs", "The rate is for another facilitator.")


def _check_customer(candidate: RateCandidate) -> NoPriceReason | None:
    if serves_customer(candidate.rate, candidate.shipment.customer):
        return None
    return NoPriceReason("customer_differs", "The rate is for other customers.")


def serves_customer(rate: ServiceRate, customer: TariffCustomer | None) -> bool:
    """Return whether a rate is for everybody, for this customer or for its price group."""
    if not rate.is_bound:
        return True
    return customer is not None and (
        customer.uuid in rate.customers or customer.price_group in rate.price_groups
    )


def _check_weight(candidate: RateCandidate) -> NoPriceReason | None:
    rate, message = candidate.rate, "The rate limits the weight, but an item has no weight."
    measure = BoundedMeasure(
        "kg", "too_light", "too_heavy", NoPriceReason("weight_unknown", message)
    )
    return _check_measure(measure, rate.min_weight, candidate.shipment.weight, rate.max_weight)


def _check_volume(candidate: RateCandidate) -> NoPriceReason | None:
    rate, message = candidate.rate, "The rate limits the volume, but an item has no size."
    measure = BoundedMeasure(
        "m³", "too_small", "too_large", NoPriceReason("volume_unknown", message)
    )
    return _check_measure(measure, rate.min_volume, candidate.shipment.volume, rate.max_volume)


def _check_measure(
    measure: BoundedMeasure, minimum: Decimal | None, value: Decimal | None, maximum: Decimal | None
) -> NoPriceReason | None:
    if minimum is None and maximum is None:
        return None
    if value is None:
        return measure.unknown
    total_text = f"The total is {format_number(value)} {measure.unit}"
    if minimum is not None and value < minimum:
        return NoPriceReason(
            measure.below_code, f"{total_text}, below {format_number(minimum)} {measure.unit}."
        )
    if maximum is not None and value > maximum:
        return NoPriceReason(
            measure.above_code, f"{total_text}, above {format_number(maximum)} {measure.unit}."
        )
    return None


def _check_distance(candidate: RateCandidate) -> NoPriceReason | None:
    rate, metres = candidate.rate, candidate.shipment.route.distance
    if rate.min_distance is not None and metres < rate.min_distance:
        return NoPriceReason("too_near", f"The route is {metres} m, below {rate.min_distance} m.")
    if rate.max_distance is None:
        return None
    unit = rate.max_distance_unit
    if metres * TENTHS_IN_A_METRE <= rate.max_distance * TENTHS_OF_MILLIMETRES[unit]:
        return None
    maximum = format_number(rate.max_distance)
    return NoPriceReason("too_far", f"The route is {metres} m, above {maximum} {unit}.")


def _check_stops(candidate: RateCandidate) -> NoPriceReason | None:
    count, minimum, maximum = (
        len(candidate.shipment.stops),
        candidate.rate.min_stops,
        candidate.rate.max_stops,
    )
    if minimum is not None and count < minimum:
        return NoPriceReason("too_few_stops", f"There are {count} stops, below {minimum}.")
    if maximum is not None and count > maximum:
        return NoPriceReason("too_many_stops", f"There are {count} stops, above {maximum}.")
    return None


def _check_cash(candidate: RateCandidate) -> NoPriceReason | None:
    rate, shipment = candidate.rate, candidate.shipment
    if not shipment.cod:
        return None
    if not rate.has_cod_fee:
        return NoPriceReason("cod_not_taken", "The rate does not accept cash on delivery.")
    if shipment.cod_currency not in (None, rate.currency):
        return NoPriceReason(
            "cod_currency_differs",
            f"The rate's currency is {rate.currency}, but the cash is in {shipment.cod_currency}.",
        )
    return _check_cash_bounds(rate, shipment.cod_amount)


def _check_cash_bounds(rate: ServiceRate, amount: int | None) -> NoPriceReason | None:
    minimum, maximum = rate.min_cod, rate.max_cod
    if amount is None:
        if (
            minimum is maximum is None
            and surcharges.make_cash_surcharge(rate).method != "percentage"
        ):
            return None
        return NoPriceReason(
            "cod_amount_unknown", "The rate depends on the amount of cash, which is unknown."
        )
    cash_text = f"The cash is {money.to_major_units(amount, rate.currency)} {rate.currency}"
    if minimum is not None and amount < minimum:
        return NoPriceReason(
            "cod_too_low", f"{cash_text}, below {money.to_major_units(minimum, rate.currency)}."
        )
    if maximum is not None and amount > maximum:
        return NoPriceReason(
            "cod_too_high", f"{cash_text}, above {money.to_major_units(maximum, rate.currency)}."
        )
    return None


RULES: Final[tuple[Callable[[RateCandidate], NoPriceReason | None], ...]] = (
    _check_status,
    _check_validity,
    _check_service_type,
    _check_currency,
    _check_service_area,
    _check_zone,
    _check_order_config,
    _check_facilitator,
    _check_customer,
    _check_weight,
    _check_volume,
    _check_distance,
    _check_stops,
    _check_cash,
)
