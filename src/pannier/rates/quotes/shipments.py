"""Load the shipment of a pricing request: its stops, its items and its time."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.rules import parse_currency
from pannier.customers.recognition import get_partner
from pannier.db import Db
from pannier.errors import FieldError, Invalid, NotFound, parse_field
from pannier.kit.geo import Point
from pannier.kit.money import MAX_AMOUNT
from pannier.kit.structs import convert_struct
from pannier.partners.models import Contact, Vendor
from pannier.payloads import queries as payloads
from pannier.payloads.cash import sum_cash
from pannier.payloads.fields import FaultCollector
from pannier.payloads.lookup import index_by_identifier, normalise_identifier
from pannier.payloads.models import Entity
from pannier.payloads.queries import PayloadAggregate
from pannier.places import queries as places
from pannier.places import service as placing
from pannier.places.models import PlaceRow
from pannier.places.parsing import OWN_FIELDS, STOP_FIELDS, ParsedPlace, parse
from pannier.places.references import check_sent_fields
from pannier.rates import queries
from pannier.rates.matching import RateCriteria
from pannier.rates.quotes.schemas import Cash, ItemIn, ShipmentIn, ShopShipmentIn
from pannier.rates.shipment import Shipment, ShipmentBase, TariffCustomer, measure_parcel
from pannier.routing.route import Route

MIN_STOPS: Final = 2
MAX_SIZE: Final = 1_000_000
MAX_DECIMALS: Final = 20
REQUIRED: Final = "This field is required."
_NO_POINT: Final = "This place has no coordinates. Send some, such as 1.3521,103.8198."
_CASH: Final = "must be true, or a whole number of minor units, such as 1250 for 12.50."


class ShipmentDraft(ShipmentBase, frozen=True, kw_only=True):
    """A shipment without a route. The request may have its distance, its time or both."""

    distance: int | None = None
    time: int | None = None

    @property
    def requested_route(self) -> Route | None:
        """The route from the request, if it has both distance and time."""
        if self.distance is None or self.time is None:
            return None
        return Route(self.distance, self.time, "given")

    def with_route(self, route: Route) -> Shipment:
        """Return the shipment with a route. The request's values override measured ones."""
        if self.distance is not None or self.time is not None:
            distance = route.distance if self.distance is None else self.distance
            time = route.time if self.time is None else self.time
            route = Route(distance, time, "given", firm=route.firm)
        return convert_struct(self, Shipment, route=route)


def to_criteria(query: ShopShipmentIn, *, public: bool = False) -> RateCriteria:
    return RateCriteria(
        service_type=query.service_type, currency=_parse_currency(query), public=public
    )


async def load_shop_draft(db: Db, company: UUID, query: ShopShipmentIn) -> ShipmentDraft:
    """Load a shop's shipment, which may not refer to the company's places or payloads."""
    stops = _parse_locations(query)
    message = "Send coordinates such as 1.3521,103.8198, or an address with them."
    errors = [
        FieldError(path, message) for path, stop in stops.items() if stop.identifier is not None
    ]
    if errors:
        raise Invalid(fields=errors)
    if query.scheduled_at is not None and query.scheduled_at < db.now:
        # A past time could get the price of a quieter hour, although the delivery happens now.
        raise Invalid(fields=[FieldError("scheduled_at", "must not be in the past.")])
    return await _load_location_draft(db, company, query, stops)


async def load_draft(db: Db, company: UUID, data: ShipmentIn) -> ShipmentDraft:
    """Load a shipment, and resolve its references."""
    if data.payload is None:
        draft = await _load_location_draft(db, company, data, _parse_locations(data))
    else:
        draft = await _load_payload_draft(db, company, data, data.payload)
    changes: dict[str, Any] = {"distance": data.distance, "time": data.time}
    if data.order_config is not None:
        config_uuid = await queries.resolve_order_config(db, company, data.order_config)
        changes["order_config"] = config_uuid
    if data.facilitator is not None:
        changes["facilitator"] = (
            await queries.resolve_facilitator(db, company, data.facilitator)
        ).uuid
    if data.customer is not None:
        changes["customer"] = to_tariff_customer(
            await get_partner(db, company, "customer", data.customer)
        )
    return msgspec.structs.replace(draft, **changes)


def to_tariff_customer(partner: Contact | Vendor | None) -> TariffCustomer | None:
    """Return what rates need to know about a contact or a vendor."""
    return None if partner is None else TariffCustomer(partner.uuid, partner.price_group)


def from_payload(
    aggregate: PayloadAggregate,
    places_by_uuid: Mapping[UUID, PlaceRow],
    now: datetime,
    *,
    scheduled_at: datetime | None = None,
    order_config: UUID | None = None,
    facilitator: UUID | None = None,
    customer: TariffCustomer | None = None,
) -> ShipmentDraft | None:
    """Build a payload's shipment. Return None if a place has no coordinates."""
    points = [places_by_uuid[uuid].location for uuid in aggregate.place_uuids]
    stops = tuple(point for point in points if point is not None)
    if len(stops) < max(len(points), MIN_STOPS):
        return None
    cash = sum_cash(aggregate.cash)
    return ShipmentDraft(
        effective_at=scheduled_at or now,
        scheduled_at=scheduled_at,
        stops=stops,
        parcels=tuple(map(measure_parcel, aggregate.entities)),
        declared_values=_list_declared_values(aggregate.entities),
        order_config=order_config,
        facilitator=facilitator,
        customer=customer,
        cod=cash is not None,
        cod_amount=None if cash is None else cash.amount,
        cod_currency=None if cash is None else cash.currency,
    )


async def _load_payload_draft(db: Db, company: UUID, data: ShipmentIn, name: str) -> ShipmentDraft:
    """Build a payload's shipment. The request may override cash and time."""
    payload = await payloads.PAYLOADS.resolve_reference(db, company, "payload", name)
    related = await payloads.load_related(db, company, [payload.uuid])
    order = await queries.get_order_terms(db, company, payload.order_uuid)
    scheduled_at = data.scheduled_at or order.scheduled_at
    draft = from_payload(
        related.payload_aggregates[payload.uuid],
        related.places,
        db.now,
        scheduled_at=scheduled_at,
        order_config=order.order_config,
        facilitator=order.facilitator,
        customer=await queries.load_tariff_customer(
            db, company, order.customer, order.customer_type
        ),
    )
    if draft is None:
        message = "A place of this payload has no coordinates yet. Add them."
        raise Invalid(fields=[FieldError("payload", message)])
    if data.cod is None:
        return draft
    return msgspec.structs.replace(draft, **await _load_cash_fields(db, company, data))


async def _load_location_draft(
    db: Db, company: UUID, query: ShopShipmentIn, stops: Mapping[str, ParsedPlace]
) -> ShipmentDraft:
    return ShipmentDraft(
        effective_at=query.scheduled_at or db.now,
        scheduled_at=query.scheduled_at,
        stops=await _load_stops(db, company, stops),
        parcels=tuple(map(measure_parcel, _check_sizes(query.entities or ()))),
        declared_values=_list_declared_values(query.entities or ()),
        **await _load_cash_fields(db, company, query),
    )


def _parse_locations(query: ShopShipmentIn) -> dict[str, ParsedPlace]:
    """Parse the locations in the order of the route, by parameter."""
    waypoints = {f"waypoints[{index}]": stop for index, stop in enumerate(query.waypoints or ())}
    endpoints = {"pickup": query.pickup, "dropoff": query.dropoff}
    stops = {"pickup": query.pickup, **waypoints, "dropoff": query.dropoff}
    sent_stops = {path: stop for path, stop in stops.items() if stop is not None}
    if len(sent_stops) >= MIN_STOPS:
        return _parse_places(sent_stops)
    missing_endpoints = [name for name, stop in endpoints.items() if stop is None]
    if waypoints:
        raise Invalid(fields=[FieldError("waypoints", "Send at least two stops.")])
    message = (
        REQUIRED
        if len(missing_endpoints) == 1
        else "Send a `pickup` and a `dropoff`, or `waypoints`."
    )
    raise Invalid(fields=[FieldError(name, message) for name in missing_endpoints])


def _parse_places(values_by_path: Mapping[str, object]) -> dict[str, ParsedPlace]:
    errors, stops = FaultCollector(), {}
    for path, stop in values_by_path.items():
        with errors.collect_at():
            own_fields = STOP_FIELDS if path.startswith("waypoints") else OWN_FIELDS
            stops[path] = parse(stop, path, own_fields=own_fields)
    errors.raise_faults()
    return stops


async def _load_stops(db: Db, company: UUID, stops: Mapping[str, ParsedPlace]) -> tuple[Point, ...]:
    """Return the points of all locations. Report every location without a point."""
    names = {
        path: normalise_identifier(stop.identifier)
        for path, stop in stops.items()
        if stop.identifier is not None
    }
    places_by_name = await _load_places(db, company, names.values())
    unknown_paths = [path for path, name in names.items() if name not in places_by_name]
    if unknown_paths:
        raise NotFound(
            fields=[FieldError(path, "There is no such place.") for path in unknown_paths]
        )
    errors, points = FaultCollector(), []
    for path, stop in stops.items():
        with errors.collect_at():
            points.append(await _load_point(db, company, path, stop, places_by_name))
    errors.raise_faults()
    return tuple(points)


async def _load_point(
    db: Db, company: UUID, path: str, stop: ParsedPlace, places_by_name: Mapping[str, PlaceRow]
) -> Point:
    """Return the point of a place, of coordinates or of an address, without saving it."""
    value = stop.value
    if isinstance(value, Point) and not stop.sent_fields:
        return value
    if isinstance(value, str):
        place = places_by_name[normalise_identifier(value)]
    else:
        place = await placing.build_place(db, company, value, path=stop.path)
    await check_sent_fields(db, company, stop, place)
    if place.location is None:
        raise Invalid(fields=[FieldError(path, _NO_POINT)])
    return place.location


async def _load_places(db: Db, company: UUID, names: Iterable[str]) -> Mapping[str, PlaceRow]:
    identifiers = list(names)
    return (
        index_by_identifier(
            await payloads.list_by_identifiers(db, company, places.places, identifiers)
        )
        if identifiers
        else {}
    )


def _check_sizes(items: Sequence[ItemIn]) -> Sequence[ItemIn]:
    """Refuse impossible sizes and weights."""
    errors = [
        FieldError(f"entities[{number}].{name}", f"must be between 0 and {MAX_SIZE:,}.")
        for number, item in enumerate(items)
        for name in ("length", "width", "height", "weight")
        if not _is_possible(getattr(item, name))
    ]
    if errors:
        raise Invalid(fields=errors)
    return items


def _is_possible(size: Decimal | None) -> bool:
    # NaN compares false with everything, so it is checked first.
    return size is None or (
        size.is_finite() and 0 <= size <= MAX_SIZE and size.adjusted() > -MAX_DECIMALS
    )


def _list_declared_values(items: Iterable[Entity | ItemIn]) -> tuple[tuple[int, str | None], ...]:
    return tuple(
        (item.declared_value * item.quantity, item.currency)
        for item in items
        if item.declared_value
    )


def _parse_currency(query: ShopShipmentIn) -> str | None:
    return (
        None if query.currency is None else parse_field("currency", parse_currency, query.currency)
    )


async def _load_cash_fields(db: Db, company: UUID, query: ShopShipmentIn) -> dict[str, Any]:
    """Build the fields of the cash to collect, in the request's or the company's currency.

    Without either currency, the cash counts in the currency of each rate that prices it.
    """
    amount = parse_field("cod", _parse_amount, query.cod)
    if amount is False:
        return {"cod": False, "cod_amount": None, "cod_currency": None}
    if amount is True:
        return {"cod": True, "cod_amount": None, "cod_currency": None}
    company_currency = (await company_settings.load(db, company)).currency
    return {
        "cod": True,
        "cod_amount": amount,
        "cod_currency": _parse_currency(query) or company_currency,
    }


def _parse_amount(cash: Cash | None) -> int | bool:
    """Parse an amount. True means cash of an unknown amount, False means no cash."""
    match cash.strip().lower() if isinstance(cash, str) else cash:
        case None | False | 0 | "" | "false" | "0":
            return False
        case True | "true":
            return True
        case str() as text if (
            text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_AMOUNT))
        ):
            amount = int(text)
        case int() as amount:
            pass
        case _:
            raise ValueError(_CASH)
    if not 0 <= amount <= MAX_AMOUNT:
        raise ValueError(_CASH)
    return amount or False
