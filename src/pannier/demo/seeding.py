"""Seed data of the demo company: rates, a fleet, places and open orders.

Rates come first: orders get quotes when they are placed, and dispatched orders are priced at the
cheapest one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from pannier.accounts import queries as accounts
from pannier.customers import identities
from pannier.customers import service as customers
from pannier.db import Db
from pannier.demo import content, streets, working_hours
from pannier.demo.content import (
    ACTIVE_COURIERS,
    CLINICS,
    CONFIGS,
    COURIERS,
    CUSTOMERS,
    HOMES,
    MEDICINES,
    PARCELS,
    SHOPS,
    Courier,
)
from pannier.demo.routes import PACE
from pannier.devices.models import Kind
from pannier.devices.registry import service as devices
from pannier.devices.registry.schemas import NewDeviceIn
from pannier.fleet.drivers import service as drivers
from pannier.fleet.drivers.schemas import DriverIn
from pannier.fleet.fleets import service as fleets
from pannier.fleet.fleets.schemas import FleetIn
from pannier.fleet.models import Driver
from pannier.fleet.queries import VEHICLES
from pannier.fleet.vehicles import service as vehicles
from pannier.fleet.vehicles.schemas import VehicleIn
from pannier.kit.geo import Point
from pannier.orders import service as orders
from pannier.orders.configs import service as configs
from pannier.orders.internal_ids import resolve_internal_ids
from pannier.orders.schemas import OrderCustomerIn, OrderIn
from pannier.orders.views import OrderAggregate
from pannier.partners import service as partners
from pannier.partners.schemas import VendorIn
from pannier.payloads.schemas import EntityIn
from pannier.places import queries as place_queries
from pannier.places import service as places
from pannier.places.schemas import AreaIn, PlaceFilters, PlaceIn, ZoneIn
from pannier.rates import service as rates
from pannier.rates.models import MeterFee, PeakWindow
from pannier.rates.schemas import ServiceRateIn
from pannier.robots import travel
from pannier.routing.route import MeasuredRoute, Route
from pannier.web.identifiers import INTERNAL_PREFIX

# By kilometre with a peak surcharge, by distance bands, and a cheap one for later delivery.
RATES: Final = (
    ServiceRateIn(
        service_name="Express", service_type="express", currency=content.CURRENCY, public=True,
        rate_calculation_method="per_meter", base_fee=590, per_meter_unit="km",
        per_meter_flat_rate_fee=Decimal(150), has_peak_hours_fee=True,
        peak_hours_calculation_method="percentage", peak_hours_percent=Decimal(20),
        peak_windows=[PeakWindow(start="07:30", end="09:30"),
                      PeakWindow(start="15:30", end="18:00")],
        timezone=content.TIME_ZONE, duration_terms="Within an hour",
    ),
    ServiceRateIn(
        service_name="Same day", service_type="standard", currency=content.CURRENCY, public=True,
        rate_calculation_method="fixed_rate", max_distance_unit="km", open_ended=True,
        meter_fees=[MeterFee(Decimal(1), 490), MeterFee(Decimal(3), 690),
                    MeterFee(Decimal(8), 990)],
        estimated_days=0,
    ),
    ServiceRateIn(
        service_name="Economy", service_type="economy", currency=content.CURRENCY, public=True,
        rate_calculation_method="per_meter", base_fee=290, per_meter_unit="km",
        per_meter_flat_rate_fee=Decimal(60), minimum_fee=350, estimated_days=2,
    ),
)  # fmt: skip

# The time since the company was created.
COMPANY_AGE: Final = timedelta(days=6)
AREA_CENTRE: Final = [24.9443, 60.1715]
AREA_METRES: Final = 1200
# Name, corners and speed limit of each quarter. They share Mannerheimintie and the Esplanadi.
ZONES: Final = (
    ("Kamppi", [[24.9352, 60.1642], [24.9437, 60.1642], [24.9437, 60.1666], [24.9418, 60.1675],
                [24.9408, 60.1685], [24.9384, 60.1699], [24.9352, 60.1714]], 30),
    ("Kaartinkaupunki", [[24.9437, 60.1642], [24.9534, 60.1642], [24.9534, 60.1678],
                         [24.9418, 60.1675], [24.9437, 60.1666]], 30),
    ("Kluuvi", [[24.9418, 60.1675], [24.9534, 60.1678], [24.9534, 60.1764], [24.9352, 60.1764],
                [24.9352, 60.1714], [24.9384, 60.1699], [24.9408, 60.1685]], 30),
    ("Siltasaari", [[24.9440, 60.1767], [24.9534, 60.1767], [24.9534, 60.1791],
                    [24.9440, 60.1791]], 40),
)  # fmt: skip
# The configurations that orders take in turn.
KINDS: Final = (
    None, content.SIGNED, content.DOORSTEP, content.SIGNED, content.SCANNED, content.PHARMACY,
)  # fmt: skip
# Minutes since each order was placed, the number of its courier, and the hours until it is due.
# Scheduled orders are due tomorrow, so that today's plan leaves them out.
# Orders that may share a number, if visitors use the demo's numbers.
MAX_COPIES: Final = 20
UNASSIGNED: Final = (1, 3, 4, 6, 7, 9)
SCHEDULED: Final = ((21, 8, 26.5), (33, 9, 27), (38, 2, 28), (52, 10, 29.5), (55, 11, 30))
DISPATCHED: Final = ((1, 9), (2, 10), (3, 11))


@contextmanager
def freeze_time(db: Db, moment: datetime) -> Iterator[None]:
    """Set the transaction's time within the context."""
    now, db.now = db.now, moment
    try:
        yield
    finally:
        db.now = now


async def seed(db: Db, company: UUID) -> None:
    """Create the demo company's data."""
    with freeze_time(db, db.now - COMPANY_AGE):
        for rate in RATES:
            await rates.create_rate(db, company, rate)
        for config in CONFIGS:
            await configs.create(db, company, config)
        await _create_places(db, company)
        await _create_partners(db, company)
        couriers = [
            await _create_courier(db, company, number, courier)
            for number, courier in enumerate(COURIERS)
        ]
        await _create_fleets(db, company, couriers)
    await _place_open_orders(db, company, couriers)


async def _create_places(db: Db, company: UUID) -> None:
    """Create places, a service area and zones."""
    for address in (*SHOPS, *HOMES):
        kind = "warehouse" if address in SHOPS else "customer"
        await places.create_place(db, company, PlaceIn(**address.to_place(), type=kind))
    area = await places.create_area(
        db,
        company,
        AreaIn(
            name=f"Central {content.CITY}", location=AREA_CENTRE, radius=AREA_METRES,
            color="#2f6fed",
        ),
    )  # fmt: skip
    for name, corners, limit in ZONES:
        border = {"type": "Polygon", "coordinates": [[*corners, corners[0]]]}
        zone_data = ZoneIn(
            name=name, service_area=area.public_id, border=border, speed_limit_kmh=limit,
            trigger_on_entry=True, trigger_on_exit=True, color="#64748b",
        )  # fmt: skip
        await places.create_zone(db, company, zone_data)


async def _create_partners(db: Db, company: UUID) -> None:
    """Create the store's customers and the facilitators."""
    store = customers.StoreRef(company, (await accounts.get_store(db, company, None)).uuid)
    for number, name in enumerate(CUSTOMERS):
        phone = identities.parse(content.make_phone(200 + number))
        email = identities.parse(f"{name.lower().replace(' ', '.')}@example.test")
        await customers.create_customer(db, store, name, phone, other_identities=[email])
    for name in ("Meri Logistics", "Night Riders"):
        email_address = f"hello@{name.lower().replace(' ', '-')}.example"
        vendor_data = VendorIn(
            name=name, type="facilitator", email=email_address, country=content.COUNTRY
        )
        await partners.create_vendor(db, company, vendor_data)


async def _create_courier(db: Db, company: UUID, number: int, courier: Courier) -> Driver:
    """Create a vehicle with its devices and its driver."""
    is_off_duty = number >= ACTIVE_COURIERS
    local_now = db.now.astimezone(ZoneInfo(content.TIME_ZONE))
    location = streets.CORNERS[courier.corner].to_geojson()
    kind = "refrigerated van" if courier.is_refrigerated else "van"
    vehicle = await vehicles.create(
        db,
        company,
        VehicleIn(
            plate_number=courier.plate, make=courier.make, model=courier.model,
            year=2020 + number % 6, type="cargo bicycle" if courier.is_on_bicycle else kind,
            location=location, capacity=working_hours.get_capacity(courier),
            profile=courier.profile, cost_per_km=5 if courier.is_on_bicycle else 35,
            currency=content.CURRENCY,
            status="maintenance" if number == ACTIVE_COURIERS else "available",
            speed_limit_kmh=25 if courier.is_on_bicycle else 40, online=not is_off_duty,
        ),
    )  # fmt: skip
    device_kinds: tuple[tuple[Kind, str, bool], ...] = (
        ("tracker", "VT", True),
        ("obd", "OB", not courier.is_on_bicycle),
        ("sensor", "TS", courier.is_refrigerated),
    )
    for device_kind, prefix, is_included in device_kinds:
        if is_included:
            label = "OBD" if device_kind == "obd" else device_kind
            device_data = NewDeviceIn(
                name=f"{courier.plate} {label}", kind=device_kind, vehicle=vehicle.public_id,
                identifier=f"{prefix}-{number + 1:02}", provider="Demo", reporting_interval=300,
            )  # fmt: skip
            await devices.create(db, company, device_data)
    return await drivers.create(
        db,
        company,
        DriverIn(
            name=courier.name, phone=content.make_driver_phone(number), online=not is_off_duty,
            status="off_duty" if is_off_duty else "available", location=location,
            vehicle=vehicle.public_id, country=content.COUNTRY, city=content.CITY,
            skills=working_hours.list_skills(courier),
            shifts=working_hours.make_shifts(number, local_now),
            shift_exceptions=[working_hours.make_holiday(local_now.date())] if is_off_duty else [],
            cost_per_hour=1700 + 50 * (number % 5), currency=content.CURRENCY,
        ),
    )  # fmt: skip


async def _create_fleets(db: Db, company: UUID, couriers: list[Driver]) -> None:
    """Divide the drivers and their vehicles into fleets."""
    fleet_data = (
        ("Bicycle couriers", "Small parcels", True),
        ("Vans", "Heavy and cold goods", False),
    )
    for name, task, is_on_bicycle in fleet_data:
        fleet = await fleets.create(db, company, FleetIn(name=name, task=task))
        members = [
            driver
            for driver, courier in zip(couriers, COURIERS, strict=True)
            if courier.is_on_bicycle is is_on_bicycle
        ]
        for driver in members:
            await fleets.add_driver(db, fleet, driver)
        uuids = [driver.vehicle for driver in members if driver.vehicle]
        for vehicle in (await VEHICLES.load_many(db, company, uuids)).values():
            await fleets.add_vehicle(db, fleet, vehicle)


async def _place_open_orders(db: Db, company: UUID, couriers: list[Driver]) -> None:
    """Place unassigned, scheduled and dispatched orders."""
    now, number = db.now, 0
    for minutes in UNASSIGNED:
        with freeze_time(db, now - timedelta(minutes=minutes)):
            await place_order(db, company, number)
        number += 1
    for minutes, courier, hours in SCHEDULED:
        due_time = now + timedelta(hours=hours)
        with freeze_time(db, now - timedelta(minutes=minutes)):
            await place_order(
                db, company, number, driver=couriers[courier].public_id, scheduled_at=due_time,
                time_window_start=due_time, time_window_end=due_time + timedelta(hours=2),
            )  # fmt: skip
        number += 1
    for minutes, courier in DISPATCHED:
        with freeze_time(db, now - timedelta(minutes=minutes)):
            await place_order(
                db, company, number, driver=couriers[courier].public_id, dispatch=True,
                time_window_end=now + timedelta(minutes=40),
            )  # fmt: skip
        number += 1


def to_internal_id(number: int) -> str:
    """Return the internal id of a number."""
    return f"DC-{1001 + number}"


async def _choose_internal_id(db: Db, company: UUID, number: int) -> str:
    """Return the internal id of a number, or a similar one if an order already has it."""
    text = to_internal_id(number)
    candidates = [text, *(f"{text}-{copy}" for copy in range(2, MAX_COPIES + 1))]
    found_identifiers = await resolve_internal_ids(
        db, company, [f"{INTERNAL_PREFIX}{name}" for name in candidates]
    )
    free = (
        name
        for name, identifier in zip(candidates, found_identifiers, strict=True)
        if identifier.startswith(INTERNAL_PREFIX)
    )
    return next(free, text)


async def place_order(
    db: Db,
    company: UUID,
    number: int,
    *,
    is_past: bool = False,
    **extra: Any,  # noqa: ANN401 - fields of an order
) -> OrderAggregate:
    """Place an order. Its number determines items, addresses, customer and configuration.

    A past order is measured along the streets of the content, so that its price does not wait for
    the routing engine.
    """
    kind = get_kind(number)
    name, sku = PARCELS[number * 5 % len(PARCELS)]
    shop, home = SHOPS[(0, 0, 1, 3)[number % 4]], HOMES[number * 7 % len(HOMES)]
    if kind == content.PHARMACY:
        index = number // len(KINDS)
        name, sku = MEDICINES[index % len(MEDICINES)]
        shop, home = SHOPS[2], CLINICS[index % len(CLINICS)]
    customer = CUSTOMERS[number * 3 % len(CUSTOMERS)]
    place_ids = await _load_place_ids(db, company)
    order_data: dict[str, Any] = {
        "internal_id": await _choose_internal_id(db, company, number),
        "order_config": kind,
        "pickup": place_ids.get(shop.name) or shop.to_place(),
        "dropoff": place_ids.get(home.name) or home.to_place(),
        "entities": [EntityIn(name=name, sku=sku, weight=1.0 + number % 9)],
        "customer": OrderCustomerIn(
            name=customer, phone=content.make_phone(200 + CUSTOMERS.index(customer))
        ),
    }
    order_data |= extra
    shop_location = order_data["pickup"]["location"] if "pickup" in extra else shop.location
    created_order = await orders.create(
        db,
        company,
        OrderIn(**order_data),
        measured_route=_measure_streets(shop_location, home.location) if is_past else None,
    )
    # Load it with related records, because later activities need its driver's position.
    return await OrderAggregate.load(db, created_order.row)


def _measure_streets(pickup: list[float], dropoff: list[float]) -> MeasuredRoute:
    start, end = Point(*pickup), Point(*dropoff)
    metres = travel.measure_route(streets.find_route(start, end))
    seconds = metres / PACE.speed_kmh * 3.6
    return MeasuredRoute([start, end], Route(round(metres), round(seconds)))


def get_kind(number: int) -> str | None:
    """Return the configuration of an order by its number."""
    return KINDS[number % len(KINDS)]


async def _load_place_ids(db: Db, company: UUID) -> dict[str, str]:
    """Load the public ids of the company's places, by name."""
    page = await place_queries.places.load_page(
        db, place_queries.places.where(company), PlaceFilters(limit=100)
    )
    return {place.name: place.public_id for place in page.rows if place.name is not None}
