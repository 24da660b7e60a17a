"""Load the shipment of a pricing request: its stops, its items and its time."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.rules import parse_currency
from pannier.db import Db
from pannier.errors import FieldError, Invalid, NotFound, parse_field
from pannier.kit.geo import Point
from pannier.kit.money import MAX_AMOUNT
from pannier.kit.structs import convert_struct
from pannier.payloads import queries as payloads
from pannier.payloads.fields import FaultCollector
from pannier.payloads.lookup import index_by_name, normalise_identifier
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
from pannier.rates.shipment import Shipment, ShipmentBase, ShipmentParcel, to_parcel
from pannier.routing.route import Route

MIN_STOPS: Final = 2
MAX_SIZE: Final = 1_000_000
MAX_DECIMALS: Final = 20
REQUIRED: Final = "This field is required."
_NO_POINT: Final = "This place has no coordinates. Send some, such as 1.3521,103.8198."
_CASH: Final = "must be true, or a whole number of minor units, such as 1250 for 12.50."


class ShipmentDraft(ShipmentBase, frozen=True, kw_only=True):
    """A shipment whose route is still to be measured, as far as the request has not given it."""

    distance: int | None = None
    time: int | None = None

    @property
    def given_route(self) -> Route | None:
        """The route from the request, if it has both distance and time."""
        if self.distance is None or self.time is None:
            return None
        return Route(self.distance, self.time, "given")

    def with_route(self, route: Route) -> Shipment:
        """Return the shipment with a route. Given values take precedence over measured ones."""
        if self.distance is not None or self.time is not None:
            distance = route.distance if self.distance is None else self.distance
            route = Route(distance, route.time if self.time is None else self.time, "given")
        return convert_struct(self, Shipment, route=route)


def to_criteria(given: ShopShipmentIn, *, public: bool = False) -> RateCriteria:
    return RateCriteria(
        service_type=given.service_type, currency=_parse_currency(given), public=public
    )


async def load_shop_draft(db: Db, company: UUID, given: ShopShipmentIn) -> ShipmentDraft:
    """Load a shop's shipment, which may not refer to the company's places or payloads."""
    spots = _parse_spots(given)
    sentence = "Send coordinates such as 1.3521,103.8198, or an address with them."
    named = [
        FieldError(path, sentence) for path, spot in spots.items() if spot.identifier is not None
    ]
    if named:
        raise Invalid(fields=named)
    if given.scheduled_at is not None and given.scheduled_at < db.now:
        # A past time could get the price of a quieter hour, although the delivery happens now.
        raise Invalid(fields=[FieldError("scheduled_at", "must not be in the past.")])
    return await _load_location_draft(db, company, given, spots)


async def load_draft(db: Db, company: UUID, given: ShipmentIn) -> ShipmentDraft:
    """Load a shipment, and resolve its references."""
    if given.payload is None:
        draft = await _load_location_draft(db, company, given, _parse_spots(given))
    else:
        draft = await _load_payload_draft(db, company, given, given.payload)
    changes: dict[str, Any] = {"distance": given.distance, "time": given.time}
    if given.order_config is not None:
        found = await queries.resolve_order_config(db, company, given.order_config)
        changes["order_config"] = found
    if given.facilitator is not None:
        changes["facilitator"] = (
            await queries.resolve_facilitator(db, company, given.facilitator)
        ).uuid
    return msgspec.structs.replace(draft, **changes)


def from_payload(
    whole: PayloadAggregate,
    known: Mapping[UUID, PlaceRow],
    now: datetime,
    *,
    scheduled_at: datetime | None = None,
    order_config: UUID | None = None,
    facilitator: UUID | None = None,
) -> ShipmentDraft | None:
    """Build a shipment of a payload. Return None if a place has no coordinates."""
    points = [known[uuid].location for uuid in whole.stations]
    stops = tuple(point for point in points if point is not None)
    if len(stops) < max(len(points), MIN_STOPS):
        return None
    payload = whole.payload
    return ShipmentDraft(
        at=scheduled_at or now,
        scheduled_at=scheduled_at,
        stops=stops,
        parcels=tuple(map(_to_parcel, whole.entities)),
        order_config=order_config,
        facilitator=facilitator,
        cod=bool(payload.cod_amount),
        cod_amount=payload.cod_amount or None,
        cod_currency=payload.cod_currency if payload.cod_amount else None,
    )


async def _load_payload_draft(db: Db, company: UUID, given: ShipmentIn, name: str) -> ShipmentDraft:
    """Build a shipment of a payload. The request may override cash and time."""
    payload = await payloads.PAYLOADS.resolve_reference(db, company, "payload", name)
    related = await payloads.load_related(db, company, [payload.uuid])
    order = await queries.get_order_terms(db, company, payload.order_uuid)
    scheduled_at = given.scheduled_at or order.scheduled_at
    draft = from_payload(
        related.wholes[payload.uuid],
        related.places,
        db.now,
        scheduled_at=scheduled_at,
        order_config=order.order_config,
        facilitator=order.facilitator,
    )
    if draft is None:
        sentence = "A place of this payload has no coordinates yet. Add them."
        raise Invalid(fields=[FieldError("payload", sentence)])
    if given.cod is None:
        return draft
    return msgspec.structs.replace(draft, **await _load_cash(db, company, given))


async def _load_location_draft(
    db: Db, company: UUID, given: ShopShipmentIn, spots: Mapping[str, ParsedPlace]
) -> ShipmentDraft:
    return ShipmentDraft(
        at=given.scheduled_at or db.now,
        scheduled_at=given.scheduled_at,
        stops=await _load_stops(db, company, spots),
        parcels=tuple(map(_to_parcel, _check_sizes(given.entities or ()))),
        **await _load_cash(db, company, given),
    )


def _parse_spots(given: ShopShipmentIn) -> dict[str, ParsedPlace]:
    """Parse the locations in the order of the route, by the parameter of each."""
    between = {f"waypoints[{at}]": spot for at, spot in enumerate(given.waypoints or ())}
    ends = {"pickup": given.pickup, "dropoff": given.dropoff}
    spots = {"pickup": given.pickup, **between, "dropoff": given.dropoff}
    sent = {path: spot for path, spot in spots.items() if spot is not None}
    if len(sent) >= MIN_STOPS:
        return _parse_all(sent)
    missing = [name for name, spot in ends.items() if spot is None]
    if between:
        raise Invalid(fields=[FieldError("waypoints", "Send at least two stops.")])
    sentence = REQUIRED if len(missing) == 1 else "Send a `pickup` and a `dropoff`, or `waypoints`."
    raise Invalid(fields=[FieldError(name, sentence) for name in missing])


def _parse_all(sent: Mapping[str, object]) -> dict[str, ParsedPlace]:
    faults, spots = FaultCollector(), {}
    for path, spot in sent.items():
        with faults.collect_at():
            own = STOP_FIELDS if path.startswith("waypoints") else OWN_FIELDS
            spots[path] = parse(spot, path, own=own)
    faults.raise_faults()
    return spots


async def _load_stops(db: Db, company: UUID, spots: Mapping[str, ParsedPlace]) -> tuple[Point, ...]:
    """Return the points of all locations. Raise for each that has none."""
    names = {
        path: normalise_identifier(spot.identifier)
        for path, spot in spots.items()
        if spot.identifier is not None
    }
    loaded = await _load_places(db, company, names.values())
    missing = [path for path, name in names.items() if name not in loaded]
    if missing:
        raise NotFound(fields=[FieldError(path, "There is no such place.") for path in missing])
    faults, points = FaultCollector(), []
    for path, spot in spots.items():
        with faults.collect_at():
            points.append(await _load_point(db, company, path, spot, loaded))
    faults.raise_faults()
    return tuple(points)


async def _load_point(
    db: Db, company: UUID, path: str, spot: ParsedPlace, known: Mapping[str, PlaceRow]
) -> Point:
    """Return the point of a place, of coordinates or of an address. Nothing is saved."""
    wanted = spot.value
    if isinstance(wanted, Point) and not spot.sent_fields:
        return wanted
    if isinstance(wanted, str):
        place = known[normalise_identifier(wanted)]
    else:
        place = await placing.build_place(db, company, wanted, path=spot.path)
    await check_sent_fields(db, company, spot, place)
    if place.location is None:
        raise Invalid(fields=[FieldError(path, _NO_POINT)])
    return place.location


async def _load_places(db: Db, company: UUID, names: Iterable[str]) -> Mapping[str, PlaceRow]:
    wanted = list(names)
    return (
        index_by_name(await payloads.list_named(db, company, places.places, wanted))
        if wanted
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


def _to_parcel(item: Entity | ItemIn) -> ShipmentParcel:
    return to_parcel(
        length=item.length,
        width=item.width,
        height=item.height,
        dimensions_unit=item.dimensions_unit,
        weight=item.weight,
        weight_unit=item.weight_unit,
    )


def _parse_currency(given: ShopShipmentIn) -> str | None:
    return (
        None if given.currency is None else parse_field("currency", parse_currency, given.currency)
    )


async def _load_cash(db: Db, company: UUID, given: ShopShipmentIn) -> dict[str, Any]:
    """Load whether to collect cash and how much, in the request's or the company's currency.

    Without either currency, the cash counts in the currency of each rate that prices it.
    """
    amount = parse_field("cod", _parse_amount, given.cod)
    if amount is False:
        return {"cod": False, "cod_amount": None, "cod_currency": None}
    if amount is True:
        return {"cod": True, "cod_amount": None, "cod_currency": None}
    home = (await company_settings.load(db, company)).currency
    return {"cod": True, "cod_amount": amount, "cod_currency": _parse_currency(given) or home}


def _parse_amount(given: Cash | None) -> int | bool:
    """Parse an amount. True means cash of an unknown amount, False means no cash."""
    match given.strip().lower() if isinstance(given, str) else given:
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
