"""Building the output of orders and places for customers."""

from uuid import UUID

from pannier.customers.models import Customer
from pannier.fleet.models import Driver, Vehicle
from pannier.fleet.schemas import Spot
from pannier.kit.phone import masked
from pannier.orders.models import Order
from pannier.orders.schemas import NumberOf
from pannier.orders.storefront.schemas import (
    CustomerDriverOut,
    CustomerItemOut,
    CustomerNamed,
    CustomerOrderOut,
    CustomerPayloadOut,
    CustomerPlaceOut,
    CustomerStopOut,
    CustomerVehicleOut,
)
from pannier.orders.storefront.share import Share
from pannier.orders.views import Shown
from pannier.payloads import queries as payloads
from pannier.payloads.models import Entity, Waypoint
from pannier.payloads.queries import Whole
from pannier.places.models import Place
from pannier.web.spelling import spelled


def order_out(row: Order, shown: Shown, customer: Customer) -> CustomerOrderOut:
    number = shown.numbers[row.uuid]
    whole = shown.wholes[row.payload]
    return spelled(
        row,
        CustomerOrderOut,
        customer=spelled(customer, CustomerNamed),
        payload=_payload(whole, Share.of(whole, customer.contact), shown),
        driver_assigned=_driver(shown.drivers, row.driver),
        vehicle_assigned=_vehicle(shown.vehicles, row.vehicle),
        tracking_number=spelled(number, NumberOf, tracking_number=number.number),
        dispatched=row.dispatched_at is not None,
        started=row.started_at is not None,
    )


def place_out(row: Place) -> CustomerPlaceOut:
    return spelled(row, CustomerPlaceOut, address=row.address, location=Spot.of(row.location))


def _payload(whole: Whole, share: Share, shown: payloads.Shown) -> CustomerPayloadOut:
    """Build the customer's share. Cash on delivery appears only if all of the order is theirs."""
    row = whole.payload
    own = [stop.place for stop in share.stops]
    # The ends of a multi-stop order are its first and last stops, which may be other people's.
    ends = (None, own[-1] if own else None) if whole.waypoints else (row.pickup, row.dropoff)
    pickup, dropoff = (uuid if uuid is None else place_out(shown.places[uuid]) for uuid in ends)
    return CustomerPayloadOut(
        pickup=pickup,
        dropoff=dropoff,
        waypoints=[_stop(stop, shown) for stop in share.stops],
        entities=[_item(item, share, shown) for item in share.items],
        cod_amount=row.cod_amount if share.all else None,
        cod_currency=row.cod_currency if share.all else None,
        cod_payment_method=row.cod_payment_method if share.all else None,
    )


def _stop(row: Waypoint, shown: payloads.Shown) -> CustomerStopOut:
    return spelled(
        row,
        CustomerStopOut,
        place=place_out(shown.places[row.place]),
        status_code=row.activity,
        complete=row.completed_at is not None,
        tracking_number=shown.number(row.uuid),
    )


def _item(row: Entity, share: Share, shown: payloads.Shown) -> CustomerItemOut:
    reached = {stop.uuid: stop.public_id for stop in share.stops}
    destination = None if row.destination is None else reached.get(row.destination)
    number = shown.number(row.uuid)
    return spelled(row, CustomerItemOut, destination=destination, tracking_number=number)


def _driver(known: dict[UUID, Driver], uuid: UUID | None) -> CustomerDriverOut | None:
    if uuid is None:
        return None
    return CustomerDriverOut(name=known[uuid].name, phone=masked(known[uuid].phone))


def _vehicle(known: dict[UUID, Vehicle], uuid: UUID | None) -> CustomerVehicleOut | None:
    return None if uuid is None else spelled(known[uuid], CustomerVehicleOut)
