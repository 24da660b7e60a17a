"""What imports need of each resource: to find, create and delete its records.

Records are created by the services behind the API, so all of their rules apply.
"""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Db, Table
from pannier.errors import NotFound, Problem
from pannier.fleet.drivers import queries as driver_queries
from pannier.fleet.drivers import service as drivers
from pannier.fleet.drivers.schemas import DriverFilters, DriverIn
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.fleet.vehicles import queries as vehicle_queries
from pannier.fleet.vehicles import service as vehicles
from pannier.fleet.vehicles.schemas import VehicleFilters, VehicleIn
from pannier.imports import usage
from pannier.imports.models import ImportResource
from pannier.orders import flow
from pannier.orders import queries as order_queries
from pannier.orders import service as orders
from pannier.orders.filters import OrderFilters
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.schemas import OrderIn
from pannier.orders.views import OrderAggregate
from pannier.partners import queries as partners
from pannier.partners import service as contacts
from pannier.partners.schemas import ContactFilters, ContactIn
from pannier.payloads.queries import PAYLOADS
from pannier.places import queries as place_queries
from pannier.places import service as places
from pannier.places.models import PlaceRow
from pannier.places.schemas import PlaceIn
from pannier.rates import service as rates
from pannier.rates.queries import RATES
from pannier.rates.schemas import ServiceRateIn
from pannier.web import times, validation_errors
from pannier.web.serialization import encode

CHANGED: Final = "The record was changed after it was added."
Body = Mapping[str, Any]
Create = Callable[[Db, UUID, Any], Awaitable[str]]
Find = Callable[[Db, UUID, Body], Awaitable[str | None]]
# Deletes a record. Returns why not if it is still needed.
Delete = Callable[[Db, Any], Awaitable[str | None]]


class Adapter(msgspec.Struct, frozen=True):
    """A resource that can be imported.

    `edited_columns` are those that people change. Never add one: all earlier imports would take
    their records for changed, and keep them when undone.
    """

    table: Table[Any]
    body_type: type[msgspec.Struct]
    create: Create
    find: Find
    delete: Delete
    edited_columns: tuple[str, ...]

    def parse_body(self, body: Body) -> msgspec.Struct:
        """Parse a body as the API does, or raise Invalid with every error."""
        data = encode(body)
        try:
            parsed: msgspec.Struct = msgspec.json.decode(
                data, type=self.body_type, dec_hook=times.read
            )
        except msgspec.ValidationError as error:
            raise validation_errors.from_value(
                error, msgspec.json.decode(data), self.body_type
            ) from None
        return parsed

    async def try_delete(
        self, db: Db, company: UUID, identifier: str, fingerprint: bytes | None
    ) -> str | None:
        """Delete a record. Return why not if that is no longer possible."""
        try:
            row = await self.table.lock(db, company, identifier)
        except NotFound:
            return None
        if fingerprint is not None and fingerprint != await self._digest(db, row):
            return CHANGED
        return await self.delete(db, row)

    async def load_fingerprint(self, db: Db, company: UUID, identifier: str) -> bytes:
        """Return a digest of what people can change of a record."""
        return await self._digest(db, await self.table.get(db, company, identifier))

    async def _digest(self, db: Db, row: Any) -> bytes:  # noqa: ANN401 - a row
        values = [getattr(row, name) for name in self.edited_columns]
        if isinstance(row, Order):
            # Changes of its stops and items are counted there.
            values.append((await PAYLOADS.get(db, row.company, row.payload)).version)
        if isinstance(row, PlaceRow) and row.geocoding is None:
            # The geocoder has not found the point, so a person gave it.
            values.append(row.location)
        return hashlib.sha256(msgspec.json.encode([row.public_id, *values])).digest()[:16]


async def _create_place(db: Db, company: UUID, data: PlaceIn) -> str:
    return (await places.create_place(db, company, data)).public_id


async def _find_nothing(_: Db, _company: UUID, _body: Body) -> None:
    """Find no record: places and rates are only identified by their row."""


async def _delete_place(db: Db, place: Any) -> str | None:  # noqa: ANN401 - a row
    if await usage.is_place_used(db, place.company, place.uuid):
        return "The place is in use by an order, a contact or a driver."
    await places.delete_place(db, place)
    return None


async def _create_contact(db: Db, company: UUID, data: ContactIn) -> str:
    return (await contacts.create_contact(db, company, data)).public_id


async def _find_contact(db: Db, company: UUID, body: Body) -> str | None:
    for name in ("internal_id", "phone", "email"):
        if body.get(name):
            filters = ContactFilters(limit=1, **{name: body[name]})
            page = await partners.list_contacts(db, company, filters)
            return page.rows[0].public_id if page.rows else None
    return None


async def _delete_contact(db: Db, contact: Any) -> str | None:  # noqa: ANN401 - a row
    if await usage.is_contact_used(db, contact.company, contact.uuid):
        return "The contact is in use by an order."
    await contacts.delete_contact(db, contact)
    return None


async def _create_driver(db: Db, company: UUID, data: DriverIn) -> str:
    return (await drivers.create(db, company, data)).public_id


async def _find_driver(db: Db, company: UUID, body: Body) -> str | None:
    if not body.get("phone"):
        return None
    page = await driver_queries.list_drivers(
        db, company, DriverFilters(limit=1, phone=body["phone"])
    )
    return page.rows[0].public_id if page.rows else None


async def _delete_driver(db: Db, driver: Any) -> str | None:  # noqa: ANN401 - a row
    if await usage.is_driver_used(db, driver.company, driver.uuid):
        return "The driver has orders."
    await drivers.delete(db, driver)
    return None


async def _create_vehicle(db: Db, company: UUID, data: VehicleIn) -> str:
    return (await vehicles.create(db, company, data)).public_id


async def _find_vehicle(db: Db, company: UUID, body: Body) -> str | None:
    for name in ("plate_number", "vin"):
        if body.get(name):
            # The search uses an index.
            filters = VehicleFilters(limit=1, query=body[name], **{name: body[name]})
            page = await vehicle_queries.list_vehicles(db, company, filters)
            return page.rows[0].public_id if page.rows else None
    return None


async def _delete_vehicle(db: Db, vehicle: Any) -> str | None:  # noqa: ANN401 - a row
    if await usage.is_vehicle_used(db, vehicle.company, vehicle.uuid):
        return "The vehicle has orders or a driver."
    await vehicles.delete(db, vehicle)
    return None


async def _create_order(db: Db, company: UUID, data: OrderIn) -> str:
    return (await orders.create(db, company, data)).row.public_id


async def _find_order(db: Db, company: UUID, body: Body) -> str | None:
    if not body.get("internal_id"):
        return None
    filters = OrderFilters(limit=1, internal_id=body["internal_id"])
    page = await order_queries.list_orders(db, company, filters)
    return page.rows[0].public_id if page.rows else None


async def _delete_order(db: Db, order: Any) -> str | None:  # noqa: ANN401 - a row
    if order.status == flow.CANCELED:
        return "The order was canceled."
    if order.status != flow.CREATED:
        return "The order was already dispatched."
    if order.transaction is not None:
        return "The order has a transaction."
    await orders.delete(db, await OrderAggregate.load(db, order))
    return None


async def _create_rate(db: Db, company: UUID, data: ServiceRateIn) -> str:
    return (await rates.create_rate(db, company, data)).public_id


async def _delete_rate(db: Db, rate: Any) -> None:  # noqa: ANN401 - a row
    await rates.delete_rate(db, rate)


ADAPTERS: Final[Mapping[ImportResource, Adapter]] = {
    "places": Adapter(
        place_queries.places, PlaceIn, _create_place, _find_nothing, _delete_place,
        ("name", "street1", "street2", "city", "province", "postal_code", "neighborhood",
         "district", "building", "security_access_code", "country", "phone", "meta"),
    ),
    "contacts": Adapter(
        partners.contacts, ContactIn, _create_contact, _find_contact, _delete_contact,
        ("internal_id", "name", "title", "email", "phone", "locale", "place", "price_group",
         "default_service", "payment_terms_days", "tax_number", "type", "meta"),
    ),
    "drivers": Adapter(
        DRIVERS, DriverIn, _create_driver, _find_driver, _delete_driver,
        ("internal_id", "name", "email", "phone", "drivers_license_number", "license_expiry",
         "status", "vehicle", "country", "city", "skills", "shifts", "shift_exceptions",
         "start_place", "end_place", "cost_per_hour", "meta"),
    ),
    "vehicles": Adapter(
        VEHICLES, VehicleIn, _create_vehicle, _find_vehicle, _delete_vehicle,
        ("internal_id", "plate_number", "vin", "make", "model", "trim", "year", "color", "type",
         "fuel_type", "payload_capacity", "capacity_volume", "capacity_items", "profile",
         "cost_per_km", "speed_limit_kmh", "min_temperature", "max_temperature", "status", "meta"),
    ),
    "orders": Adapter(
        ORDERS, OrderIn, _create_order, _find_order, _delete_order,
        ("internal_id", "notes", "time_window_start", "time_window_end", "pod_required",
         "pod_method", "type", "customer", "customer_type", "customer_name", "facilitator",
         "driver", "vehicle", "required_skills", "scheduled_at", "payload", "meta"),
    ),
    "service-rates": Adapter(
        RATES, ServiceRateIn, _create_rate, _find_nothing, _delete_rate, ("version",)
    ),
}  # fmt: skip


async def find_existing(adapter: Adapter, db: Db, company: UUID, body: Body) -> str | None:
    """Find a record with the natural key of a body. An invalid key finds nothing."""
    try:
        return await adapter.find(db, company, body)
    except Problem as problem:
        if problem.is_transient:
            raise
        return None
