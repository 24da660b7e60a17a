"""Building the output of orders and places for customers."""

from uuid import UUID

from pannier.customers.models import Customer
from pannier.fleet.models import Driver, Vehicle
from pannier.fleet.schemas import PointOut
from pannier.kit.phone import mask
from pannier.orders.models import Order
from pannier.orders.schemas import OrderNumberOut
from pannier.orders.storefront.schemas import (
    CustomerDriverOut,
    CustomerItemOut,
    CustomerOrderOut,
    CustomerPayloadOut,
    CustomerPlaceOut,
    CustomerStopOut,
    CustomerVehicleOut,
    OrderCustomerOut,
)
from pannier.orders.storefront.share import CustomerShare
from pannier.orders.views import OrderRecords
from pannier.payloads import queries as payloads
from pannier.payloads.cash import sum_cash
from pannier.payloads.models import Entity, Waypoint
from pannier.payloads.queries import PayloadAggregate
from pannier.places.models import PlaceRow
from pannier.web.serialization import to_schema


def to_order_out(row: Order, related: OrderRecords, customer: Customer) -> CustomerOrderOut:
    number = related.numbers[row.uuid]
    payload_aggregate = related.payload_aggregates[row.payload]
    return to_schema(
        row,
        CustomerOrderOut,
        customer=to_schema(customer, OrderCustomerOut),
        payload=_to_payload_out(
            payload_aggregate,
            CustomerShare.from_payload(payload_aggregate, customer.contact),
            related,
        ),
        driver=_to_driver_out(related.drivers, row.driver),
        vehicle=_to_vehicle_out(related.vehicles, row.vehicle),
        tracking=number.number,
        tracking_number=to_schema(number, OrderNumberOut, tracking=number.number),
        dispatched=row.dispatched_at is not None,
        started=row.started_at is not None,
    )


def to_place_out(row: PlaceRow) -> CustomerPlaceOut:
    return to_schema(
        row, CustomerPlaceOut, address=row.address, location=PointOut.from_point(row.location)
    )


def _to_payload_out(
    payload_aggregate: PayloadAggregate, share: CustomerShare, related: payloads.PayloadRecords
) -> CustomerPayloadOut:
    """Build the customer's share. Cash on delivery appears only if all of the order is theirs."""
    row = payload_aggregate.payload
    cash = sum_cash(payload_aggregate.cash) if share.is_whole_order else None
    place_uuids = [stop.place for stop in share.stops]
    # The ends of a multi-stop order are its first and last stops. They may belong to others.
    end_uuids = (
        (None, place_uuids[-1] if place_uuids else None)
        if payload_aggregate.waypoints
        else (row.pickup, row.dropoff)
    )
    pickup, dropoff = (
        uuid if uuid is None else to_place_out(related.places[uuid]) for uuid in end_uuids
    )
    return CustomerPayloadOut(
        pickup=pickup,
        dropoff=dropoff,
        waypoints=[_to_stop_out(stop, related) for stop in share.stops],
        entities=[_to_item_out(item, share, related) for item in share.items],
        cod_amount=None if cash is None else cash.amount,
        cod_currency=None if cash is None else cash.currency,
        cod_payment_method=None if cash is None else cash.method,
    )


def _to_stop_out(row: Waypoint, related: payloads.PayloadRecords) -> CustomerStopOut:
    return to_schema(
        row,
        CustomerStopOut,
        place=to_place_out(related.places[row.place]),
        status_code=row.activity,
        complete=row.completed_at is not None,
        tracking=related.number(row.uuid),
    )


def _to_item_out(
    row: Entity, share: CustomerShare, related: payloads.PayloadRecords
) -> CustomerItemOut:
    stop_ids = {stop.uuid: stop.public_id for stop in share.stops}
    destination = None if row.destination is None else stop_ids.get(row.destination)
    number = related.number(row.uuid)
    return to_schema(row, CustomerItemOut, destination=destination, tracking=number)


def _to_driver_out(
    drivers_by_uuid: dict[UUID, Driver], uuid: UUID | None
) -> CustomerDriverOut | None:
    if uuid is None:
        return None
    return CustomerDriverOut(
        name=drivers_by_uuid[uuid].name, phone=mask(drivers_by_uuid[uuid].phone)
    )


def _to_vehicle_out(
    vehicles_by_uuid: dict[UUID, Vehicle], uuid: UUID | None
) -> CustomerVehicleOut | None:
    return None if uuid is None else to_schema(vehicles_by_uuid[uuid], CustomerVehicleOut)
