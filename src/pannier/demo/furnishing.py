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

from pannier.accounts import queries as accounts
from pannier.customers import identities
from pannier.customers import service as customers
from pannier.db import Db
from pannier.demo import cast, streets
from pannier.demo.cast import AT_WORK, CONFIGS, CUSTOMERS, HOMES, PARCELS, SHOPS, VANS, Van
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
from pannier.orders import service as orders
from pannier.orders.configs import service as configs
from pannier.orders.schemas import OrderIn, Person
from pannier.orders.views import Aggregate
from pannier.partners import service as partners
from pannier.partners.schemas import VendorIn
from pannier.payloads.schemas import EntityIn
from pannier.places import queries as place_queries
from pannier.places import service as places
from pannier.places.schemas import AreaIn, PlaceFilters, PlaceIn, ZoneIn
from pannier.rates import service as rates
from pannier.rates.models import MeterFee, PeakWindow
from pannier.rates.schemas import ServiceRateIn

# By kilometre with a peak surcharge, by distance bands, and a cheap one for later delivery.
RATES: Final = (
    ServiceRateIn(
        service_name="Express", service_type="express", currency="SGD", public=True,
        rate_calculation_method="per_meter", base_fee=500, per_meter_unit="km",
        per_meter_flat_rate_fee=Decimal(80), has_peak_hours_fee=True,
        peak_hours_calculation_method="percentage", peak_hours_percent=Decimal(20),
        peak_windows=[PeakWindow(start="07:30", end="09:30"),
                      PeakWindow(start="17:00", end="20:00")],
        timezone="Asia/Singapore", duration_terms="Within 3 hours",
    ),
    ServiceRateIn(
        service_name="Same day", service_type="standard", currency="SGD", public=True,
        rate_calculation_method="fixed_rate", max_distance_unit="km", open_ended=True,
        meter_fees=[MeterFee(Decimal(5), 700), MeterFee(Decimal(15), 1100),
                    MeterFee(Decimal(30), 1600)],
        estimated_days=0,
    ),
    ServiceRateIn(
        service_name="Economy", service_type="economy", currency="SGD", public=True,
        rate_calculation_method="per_meter", base_fee=300, per_meter_unit="km",
        per_meter_flat_rate_fee=Decimal(60), minimum_fee=600, estimated_days=2,
    ),
)  # fmt: skip

# How long ago the company was created.
AGE: Final = timedelta(days=6)
CENTRE: Final = [
    [103.826, 1.272], [103.872, 1.272], [103.876, 1.302], [103.845, 1.316], [103.822, 1.305],
    [103.826, 1.272],
]  # fmt: skip
AIRPORT: Final = [
    [103.968, 1.336], [104.005, 1.328], [104.012, 1.376], [103.978, 1.382], [103.968, 1.336],
]  # fmt: skip
# Minutes since each order was placed, the number of its driver, and the hours until it is due.
UNASSIGNED: Final = (4, 9, 17, 26, 34, 47)
SCHEDULED: Final = ((21, 8, 1.5), (33, 9, 2.0), (38, 2, 3.0), (52, 10, 4.5), (55, 11, 6.0))
DISPATCHED: Final = ((28, 8), (31, 9), (43, 10), (49, 11), (58, 5))


@contextmanager
def at(db: Db, moment: datetime) -> Iterator[None]:
    """Set the transaction's time within the context."""
    now, db.now = db.now, moment
    try:
        yield
    finally:
        db.now = now


async def furnish(db: Db, company: UUID) -> None:
    """Create the demo company's data."""
    with at(db, db.now - AGE):
        for rate in RATES:
            await rates.create_rate(db, company, rate)
        for config in CONFIGS:
            await configs.create(db, company, config)
        await _land(db, company)
        await _partners(db, company)
        couriers = [await _courier(db, company, *each) for each in enumerate(VANS)]
        await _fleets(db, company, couriers)
    await _open_orders(db, company, couriers)


async def _land(db: Db, company: UUID) -> None:
    """Create places, a service area and zones."""
    for address in (*SHOPS, *HOMES):
        kind = "warehouse" if address in SHOPS else "customer"
        await places.create_place(db, company, PlaceIn(**address.given(), type=kind))
    area = await places.create_area(
        db,
        company,
        AreaIn(name="Singapore", location=[103.82, 1.352], radius=26_000, color="#2f6fed"),
    )
    for name, ring, limit in (("Centre", CENTRE, 50), ("Airport", AIRPORT, 60)):
        border = {"type": "Polygon", "coordinates": [ring]}
        given_zone = ZoneIn(
            name=name, service_area=area.public_id, border=border, speed_limit_kmh=limit,
            trigger_on_entry=True, trigger_on_exit=True,
        )  # fmt: skip
        await places.create_zone(db, company, given_zone)


async def _partners(db: Db, company: UUID) -> None:
    """Create the store's customers and the facilitators."""
    store = customers.Store(company, (await accounts.store(db, company, None)).uuid)
    for number, name in enumerate(CUSTOMERS):
        phone = identities.read(cast.phone(200 + number))
        email = identities.read(f"{name.lower().replace(' ', '.')}@example.test")
        await customers.take_in(db, store, name, phone, others=[email])
    for name in ("Swift Couriers", "Night Riders"):
        email_address = f"hello@{name.lower().replace(' ', '-')}.example"
        given = VendorIn(name=name, type="facilitator", email=email_address, country="SG")
        await partners.create_vendor(db, company, given)


async def _courier(db: Db, company: UUID, number: int, van: Van) -> Driver:
    """Create a van with its devices and its driver."""
    resting = number >= AT_WORK
    spot = streets.CROSSINGS[van.at].to_geojson()
    vehicle = await vehicles.add(
        db,
        company,
        VehicleIn(
            plate_number=van.plate, make=van.make, model=van.model, year=2019 + number % 6,
            type="refrigerated van" if van.cold else "van", payload_capacity=900, location=spot,
            status="maintenance" if number == AT_WORK else "available", speed_limit_kmh=70,
            online=not resting,
        ),
    )  # fmt: skip
    wishes: tuple[tuple[Kind, str, bool], ...] = (
        ("tracker", "VT", True),
        ("obd", "OB", number % 3 == 0),
        ("sensor", "TS", van.cold),
    )
    for kind, prefix, wanted in wishes:
        if wanted:
            given = NewDeviceIn(
                name=f"{kind.title()} of {van.plate}", kind=kind, vehicle=vehicle.public_id,
                identifier=f"{prefix}-{number + 1:02}", provider="Demo",
                reporting_interval=300,
            )  # fmt: skip
            await devices.take_in(db, company, given)
    return await drivers.take_in(
        db,
        company,
        DriverIn(
            name=van.driver, phone=cast.drivers_phone(number), online=not resting,
            status="off_duty" if resting else "available", location=spot,
            vehicle=vehicle.public_id, country="SG", city="Singapore",
        ),
    )  # fmt: skip


async def _fleets(db: Db, company: UUID, couriers: list[Driver]) -> None:
    """Divide the drivers and their vans into fleets."""
    parts = (("City couriers", "Last mile", 0, 9), ("Cold chain and north", "Medicines", 9, 14))
    for name, task, first, last in parts:
        fleet = await fleets.form(db, company, FleetIn(name=name, task=task))
        for driver in couriers[first:last]:
            await fleets.add_driver(db, fleet, driver)
            vans = await VEHICLES.among(db, company, [uuid for uuid in [driver.vehicle] if uuid])
            for vehicle in vans.values():
                await fleets.add_vehicle(db, fleet, vehicle)


async def _open_orders(db: Db, company: UUID, couriers: list[Driver]) -> None:
    """Place unassigned, scheduled and dispatched orders."""
    now, number = db.now, 0
    for minutes in UNASSIGNED:
        with at(db, now - timedelta(minutes=minutes)):
            await place(db, company, number)
        number += 1
    for minutes, courier, hours in SCHEDULED:
        due = now + timedelta(hours=hours)
        with at(db, now - timedelta(minutes=minutes)):
            await place(
                db, company, number, driver=couriers[courier].public_id, scheduled_at=due,
                time_window_start=due, time_window_end=due + timedelta(hours=2),
            )  # fmt: skip
        number += 1
    for minutes, courier in DISPATCHED:
        with at(db, now - timedelta(minutes=minutes)):
            await place(
                db, company, number, driver=couriers[courier].public_id, dispatch=True,
                time_window_end=now + timedelta(hours=3),
            )  # fmt: skip
        number += 1


async def place(db: Db, company: UUID, number: int, **more: Any) -> Aggregate:  # noqa: ANN401 - fields of an order
    """Place an order. Its number determines items, addresses, customer and configuration."""
    kinds = (None, cast.SIGNED, cast.DOORSTEP, cast.SIGNED, cast.SCANNED, cast.PHARMACY)
    kind = kinds[number % len(kinds)]
    pharmacy = kind == cast.PHARMACY
    goods = cast.MEDICINES if pharmacy else PARCELS
    name, sku = goods[number * 5 % len(goods)]
    shop = SHOPS[2] if pharmacy else SHOPS[(0, 0, 1, 3)[number % 4]]
    home = HOMES[number * 7 % len(HOMES)]
    customer = CUSTOMERS[number * 3 % len(CUSTOMERS)]
    known = await _known(db, company)
    given: dict[str, Any] = {
        "internal_id": f"DC-{1001 + number}",
        "order_config": kind,
        "pickup": known.get(shop.name) or shop.given(),
        "dropoff": known.get(home.name) or home.given(),
        "entities": [EntityIn(name=name, sku=sku, weight=1.0 + number % 9)],
        "customer": Person(name=customer, phone=cast.phone(200 + CUSTOMERS.index(customer))),
    }
    placed = await orders.create(db, company, OrderIn(**given | more))
    # Load it as a whole, because later activities need its driver's position.
    return await Aggregate.of(db, placed.order)


async def _known(db: Db, company: UUID) -> dict[str, str]:
    """Find the content's places that still exist, by name."""
    found = await place_queries.places.page(
        db, place_queries.places.where(company), PlaceFilters(limit=100)
    )
    return {each.name: each.public_id for each in found.rows if each.name is not None}
