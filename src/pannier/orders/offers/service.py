"""Nearby offers, and their acceptance by drivers."""

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import Conflict, NotFound
from pannier.fleet import skills, whereabouts
from pannier.fleet.auth import DriverCaller
from pannier.fleet.models import Driver
from pannier.fleet.queries import DRIVERS
from pannier.orders import assignment, views
from pannier.orders.flow import IllegalMove
from pannier.orders.internal_ids import parse_internal_id
from pannier.orders.models import Order
from pannier.orders.offers import queries
from pannier.orders.offers.queries import Offer
from pannier.orders.offers.schemas import OfferArea, OfferOut
from pannier.orders.queries import ORDERS
from pannier.orders.views import OrderAggregate, OrderRecords
from pannier.web.serialization import to_schema


class DriverOffline(Conflict):
    """Only drivers on duty can take orders."""

    code = "driver_offline"
    title = "The driver is not on duty."
    remedy = "Go on duty first."


class DriverUnlocated(Conflict):
    """Ad-hoc orders are offered to drivers near the pickup."""

    code = "driver_unlocated"
    title = "The driver's position is unknown."
    remedy = "Report a position first."


class AlreadyTaken(Conflict):
    """An ad-hoc order goes to the first driver who accepts it."""

    code = "already_taken"
    title = "Another driver has taken this order."
    remedy = "Choose another order."


async def list_offers(db: Db, caller: DriverCaller, limit: int) -> list[OfferOut]:
    """List the orders that a driver on duty has the skills for, nearest first."""
    driver = await _get_driver_on_duty(db, caller)
    position = (await whereabouts.load(db, caller.company, [caller.uuid])).get(caller.uuid)
    if position is None:
        raise DriverUnlocated
    radius_metres = (await company_settings.load(db, caller.company)).routing.adhoc_distance
    offers = await queries.list_nearby_offers(
        db, caller.company, position.location, radius_metres, limit, skills=driver.skills
    )
    related = await views.load_related(db, caller.company, [offer.order for offer in offers])
    return [_to_offer_out(offer, related) for offer in offers]


async def take_offer(db: Db, caller: DriverCaller, order_id: str) -> OrderAggregate:
    """Assign an offered order to the first driver who asks. That driver may repeat the request."""
    # Drivers who were shown the offer know its id. A company's own numbers can be guessed.
    if parse_internal_id(order_id) is not None:
        raise NotFound
    row = await ORDERS.lock(db, caller.company, order_id)
    order = await OrderAggregate.load(db, row)
    if row.driver == caller.uuid:
        return order
    check_on_offer(row)
    driver = await _get_driver_on_duty(db, caller)
    if skills.list_missing_skills(row.required_skills, driver.skills):
        raise NotFound
    return await assignment.assign(db, order, caller.public_id)


def check_on_offer(order: Order) -> None:
    """Reject an order that is not on offer. It counts as unknown if it was never offered."""
    if not order.adhoc or order.dispatched_at is None:
        raise NotFound
    if order.driver is not None:
        raise AlreadyTaken
    if not order.open:
        raise IllegalMove(f"A {order.status} order cannot be taken.", ())


async def _get_driver_on_duty(db: Db, caller: DriverCaller) -> Driver:
    """Return a driver on duty, or raise DriverOffline."""
    driver = await DRIVERS.get(db, caller.company, caller.uuid)
    if not driver.online:
        raise DriverOffline
    return driver


def _to_offer_out(offer: Offer, related: OrderRecords) -> OfferOut:
    payload_aggregate, places = related.payload_aggregates[offer.order.payload], related.places
    areas = [OfferArea.from_place(places[uuid]) for uuid in payload_aggregate.place_uuids]
    return to_schema(
        offer.order,
        OfferOut,
        away=offer.away,
        pickup=areas[0] if areas else None,
        dropoff=areas[-1] if areas else None,
        stops=len(areas),
        items=sum(item.quantity for item in payload_aggregate.entities),
    )
