"""Load the shipment of a pricing request: its stops, its items and its time."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.rules import currency
from pannier.db import Db
from pannier.errors import Field, Invalid, NotFound, checked
from pannier.kit.geo import Point
from pannier.kit.money import LARGEST_AMOUNT
from pannier.kit.structs import remade
from pannier.payloads import queries as payloads
from pannier.payloads.fields import Faults
from pannier.payloads.lookup import by_name, plain
from pannier.payloads.models import Entity
from pannier.payloads.queries import Whole
from pannier.places import queries as places
from pannier.places import service as placing
from pannier.places.models import Place
from pannier.places.parsing import OWN_FIELDS, STOP_FIELDS, ParsedPlace, parse
from pannier.places.references import check_claims
from pannier.rates import queries
from pannier.rates.matching import Wanted
from pannier.rates.quotes.schemas import Cash, ItemIn, ShipmentIn, ShopShipmentIn
from pannier.rates.shipment import Carriage, Parcel, Shipment, parcel
from pannier.routing.route import Route

LEAST_STOPS: Final = 2
LARGEST_SIZE: Final = 1_000_000
DIGITS: Final = 20
REQUIRED: Final = "This field is required."
_NO_POINT: Final = "This place has no coordinates. Send some, such as 1.3521,103.8198."
_CASH: Final = "must be true, or a whole number of minor units, such as 1250 for 12.50."


class Draft(Carriage, frozen=True, kw_only=True):
    """A shipment whose route is still to be measured, as far as the request has not given it."""

    distance: int | None = None
    time: int | None = None

    @property
    def given_route(self) -> Route | None:
        """The route from the request, if it has both distance and time."""
        if self.distance is None or self.time is None:
            return None
        return Route(self.distance, self.time, "given")

    def along(self, route: Route) -> Shipment:
        """Return the shipment with a route. Given values take precedence over measured ones."""
        if self.distance is not None or self.time is not None:
            distance = route.distance if self.distance is None else self.distance
            route = Route(distance, route.time if self.time is None else self.time, "given")
        return remade(self, Shipment, route=route)


def wanted(given: ShopShipmentIn, *, public: bool = False) -> Wanted:
    return Wanted(service_type=given.service_type, currency=_currency(given), public=public)


async def asked_in_shop(db: Db, company: UUID, given: ShopShipmentIn) -> Draft:
    """Load a shop's shipment, which may not refer to the company's places or payloads."""
    spots = _spots(given)
    sentence = "Send coordinates such as 1.3521,103.8198, or an address with them."
    named = [Field(path, sentence) for path, spot in spots.items() if spot.identifier is not None]
    if named:
        raise Invalid(fields=named)
    if given.scheduled_at is not None and given.scheduled_at < db.now:
        # A past time could get the price of a quieter hour, although the delivery happens now.
        raise Invalid(fields=[Field("scheduled_at", "must not be in the past.")])
    return await _located(db, company, given, spots)


async def asked(db: Db, company: UUID, given: ShipmentIn) -> Draft:
    """Load a shipment, and resolve its references."""
    if given.payload is None:
        draft = await _located(db, company, given, _spots(given))
    else:
        draft = await _loaded(db, company, given, given.payload)
    changes: dict[str, Any] = {"distance": given.distance, "time": given.time}
    if given.order_config is not None:
        found = await queries.order_config_named(db, company, given.order_config)
        changes["order_config"] = found
    if given.facilitator is not None:
        changes["facilitator"] = (
            await queries.facilitator_named(db, company, given.facilitator)
        ).uuid
    return msgspec.structs.replace(draft, **changes)


def of_whole(
    whole: Whole,
    known: Mapping[UUID, Place],
    now: datetime,
    *,
    scheduled_at: datetime | None = None,
    order_config: UUID | None = None,
    facilitator: UUID | None = None,
) -> Draft | None:
    """Build a shipment of a payload. Return None if a place has no coordinates."""
    points = [known[uuid].location for uuid in whole.stations]
    stops = tuple(point for point in points if point is not None)
    if len(stops) < max(len(points), LEAST_STOPS):
        return None
    payload = whole.payload
    return Draft(
        at=scheduled_at or now,
        scheduled_at=scheduled_at,
        stops=stops,
        parcels=tuple(map(_parcel, whole.entities)),
        order_config=order_config,
        facilitator=facilitator,
        cod=bool(payload.cod_amount),
        cod_amount=payload.cod_amount or None,
        cod_currency=payload.cod_currency if payload.cod_amount else None,
    )


async def _loaded(db: Db, company: UUID, given: ShipmentIn, name: str) -> Draft:
    """Build a shipment of a payload. The request may override cash and time."""
    payload = await payloads.PAYLOADS.named(db, company, "payload", name)
    shown = await payloads.shown(db, company, [payload.uuid])
    order = await queries.order_of(db, company, payload.order_uuid)
    scheduled_at = given.scheduled_at or order.scheduled_at
    draft = of_whole(
        shown.wholes[payload.uuid],
        shown.places,
        db.now,
        scheduled_at=scheduled_at,
        order_config=order.order_config,
        facilitator=order.facilitator,
    )
    if draft is None:
        sentence = "A place of this payload has no coordinates yet. Add them."
        raise Invalid(fields=[Field("payload", sentence)])
    if given.cod is None:
        return draft
    return msgspec.structs.replace(draft, **await _cash(db, company, given))


async def _located(
    db: Db, company: UUID, given: ShopShipmentIn, spots: Mapping[str, ParsedPlace]
) -> Draft:
    return Draft(
        at=given.scheduled_at or db.now,
        scheduled_at=given.scheduled_at,
        stops=await _stops(db, company, spots),
        parcels=tuple(map(_parcel, _sized(given.entities or ()))),
        **await _cash(db, company, given),
    )


def _spots(given: ShopShipmentIn) -> dict[str, ParsedPlace]:
    """Parse the locations in the order of the route, by the parameter of each."""
    between = {f"waypoints[{at}]": spot for at, spot in enumerate(given.waypoints or ())}
    ends = {"pickup": given.pickup, "dropoff": given.dropoff}
    spots = {"pickup": given.pickup, **between, "dropoff": given.dropoff}
    sent = {path: spot for path, spot in spots.items() if spot is not None}
    if len(sent) >= LEAST_STOPS:
        return _parse(sent)
    missing = [name for name, spot in ends.items() if spot is None]
    if between:
        raise Invalid(fields=[Field("waypoints", "Send at least two stops.")])
    sentence = REQUIRED if len(missing) == 1 else "Send a `pickup` and a `dropoff`, or `waypoints`."
    raise Invalid(fields=[Field(name, sentence) for name in missing])


def _parse(sent: Mapping[str, object]) -> dict[str, ParsedPlace]:
    faults, spots = Faults(), {}
    for path, spot in sent.items():
        with faults.at():
            own = STOP_FIELDS if path.startswith("waypoints") else OWN_FIELDS
            spots[path] = parse(spot, path, own=own)
    faults.refuse()
    return spots


async def _stops(db: Db, company: UUID, spots: Mapping[str, ParsedPlace]) -> tuple[Point, ...]:
    """Return the points of all locations. Raise for each that has none."""
    names = {
        path: plain(spot.identifier) for path, spot in spots.items() if spot.identifier is not None
    }
    known = await _places(db, company, names.values())
    missing = [path for path, name in names.items() if name not in known]
    if missing:
        raise NotFound(fields=[Field(path, "There is no such place.") for path in missing])
    faults, points = Faults(), []
    for path, spot in spots.items():
        with faults.at():
            points.append(await _point(db, company, path, spot, known))
    faults.refuse()
    return tuple(points)


async def _point(
    db: Db, company: UUID, path: str, spot: ParsedPlace, known: Mapping[str, Place]
) -> Point:
    """Return the point of a place, of coordinates or of an address. Nothing is saved."""
    wanted = spot.wanted
    if isinstance(wanted, Point) and not spot.claims:
        return wanted
    if isinstance(wanted, str):
        place = known[plain(wanted)]
    else:
        place = await placing.new_place(db, company, wanted, path=spot.path)
    await check_claims(db, company, spot, place)
    if place.location is None:
        raise Invalid(fields=[Field(path, _NO_POINT)])
    return place.location


async def _places(db: Db, company: UUID, names: Iterable[str]) -> Mapping[str, Place]:
    wanted = list(names)
    return by_name(await payloads.named(db, company, places.places, wanted)) if wanted else {}


def _sized(items: Sequence[ItemIn]) -> Sequence[ItemIn]:
    """Refuse impossible sizes and weights."""
    wrong = [
        Field(f"entities[{number}].{name}", f"must be between 0 and {LARGEST_SIZE:,}.")
        for number, item in enumerate(items)
        for name in ("length", "width", "height", "weight")
        if not _possible(getattr(item, name))
    ]
    if wrong:
        raise Invalid(fields=wrong)
    return items


def _possible(size: Decimal | None) -> bool:
    # NaN compares false with everything, so it is checked first.
    return size is None or (
        size.is_finite() and 0 <= size <= LARGEST_SIZE and size.adjusted() > -DIGITS
    )


def _parcel(item: Entity | ItemIn) -> Parcel:
    return parcel(
        length=item.length,
        width=item.width,
        height=item.height,
        dimensions_unit=item.dimensions_unit,
        weight=item.weight,
        weight_unit=item.weight_unit,
    )


def _currency(given: ShopShipmentIn) -> str | None:
    return None if given.currency is None else checked("currency", currency, given.currency)


async def _cash(db: Db, company: UUID, given: ShopShipmentIn) -> dict[str, Any]:
    """Load whether to collect cash and how much, in the request's or the company's currency.

    Without either currency, the cash counts in the currency of each rate that prices it.
    """
    amount = checked("cod", _amount, given.cod)
    if amount is False:
        return {"cod": False, "cod_amount": None, "cod_currency": None}
    if amount is True:
        return {"cod": True, "cod_amount": None, "cod_currency": None}
    home = (await company_settings.of(db, company)).currency
    return {"cod": True, "cod_amount": amount, "cod_currency": _currency(given) or home}


def _amount(given: Cash | None) -> int | bool:
    """Parse an amount. True means cash of an unknown amount, False means no cash."""
    match given.strip().lower() if isinstance(given, str) else given:
        case None | False | 0 | "" | "false" | "0":
            return False
        case True | "true":
            return True
        case str() as text if (
            text.isascii() and text.isdecimal() and len(text) <= len(str(LARGEST_AMOUNT))
        ):
            amount = int(text)
        case int() as amount:
            pass
        case _:
            raise ValueError(_CASH)
    if not 0 <= amount <= LARGEST_AMOUNT:
        raise ValueError(_CASH)
    return amount or False
