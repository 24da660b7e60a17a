"""The sample records. Addresses are those of the demo; people are invented.

Nobody has an email address, and only drivers have phone numbers. Those have the area code 555,
which is not in use.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, time
from decimal import Decimal
from typing import Any, Final

from pannier.accounts.company_settings.models import CompanySettings, local_time_to_utc
from pannier.demo import content
from pannier.demo.content import CUSTOMERS, HOMES, PARCELS, SHOPS, Address, Courier
from pannier.fleet.drivers.schemas import DriverIn
from pannier.fleet.vehicles.schemas import VehicleIn
from pannier.orders.schemas import OrderIn
from pannier.partners.schemas import ContactIn
from pannier.payloads.schemas import EntityIn
from pannier.places.schemas import PlaceIn
from pannier.rates.schemas import ServiceRateIn

META: Final[Mapping[str, Any]] = {"sample": True}
DEPOT: Final = SHOPS[0]
DROPOFFS: Final = HOMES[:6]
RECIPIENTS: Final = CUSTOMERS[:6]
COURIERS: Final = (content.COURIERS[0], content.COURIERS[2])
# The delivery times of tomorrow, which the orders take in turn.
WINDOWS: Final = ((time(9), time(12)), (time(12), time(16)), (time(16), time(20)))
# The orders that already have a driver, and the driver's number.
ASSIGNED: Final[Mapping[int, int]] = {4: 0, 5: 1}


def mark(name: str) -> str:
    """Mark a name, so that people recognise sample data in every list."""
    return f"{name} (sample)"


def make_rate(settings: CompanySettings) -> ServiceRateIn:
    """Make a price for orders. It is not public, so stores never offer it."""
    return ServiceRateIn(
        service_name=mark("Express"), service_type="express",
        currency=settings.currency or content.CURRENCY, rate_calculation_method="per_meter",
        base_fee=590, per_meter_unit="km", per_meter_flat_rate_fee=Decimal(150), meta=dict(META),
    )  # fmt: skip


def make_place(address: Address) -> PlaceIn:
    kind = "warehouse" if address is DEPOT else "customer"
    return PlaceIn(
        **{**address.to_place(), "name": mark(address.name), "type": kind, "meta": dict(META)}
    )


def make_contact(name: str) -> ContactIn:
    return ContactIn(name=mark(name), meta=dict(META))


def make_vehicle(courier: Courier) -> VehicleIn:
    return VehicleIn(
        plate_number=mark(courier.plate), make=courier.make, model=courier.model,
        profile=courier.profile, type="cargo bicycle" if courier.is_on_bicycle else "van",
        meta=dict(META),
    )  # fmt: skip


def make_driver(number: int, courier: Courier, vehicle: str) -> DriverIn:
    return DriverIn(
        name=mark(courier.name), phone=content.make_driver_phone(900 + number), vehicle=vehicle,
        country=content.COUNTRY, city=content.CITY, meta=dict(META),
    )  # fmt: skip


def make_order(
    number: int,
    now: datetime,
    settings: CompanySettings,
    places: Sequence[str],
    contacts: Sequence[str],
    drivers: Sequence[str],
) -> OrderIn:
    """Make an order from the depot, the first of the places, to the place of its number."""
    start, end = WINDOWS[number % len(WINDOWS)]
    today = now.astimezone(settings.zone).date()
    name, sku = PARCELS[number]
    return OrderIn(
        internal_id=f"SAMPLE-{number + 1}",
        pickup=places[0],
        dropoff=places[number + 1],
        customer=contacts[number],
        entities=[EntityIn(name=name, sku=sku, weight=1.0 + number)],
        driver=drivers[ASSIGNED[number]] if number in ASSIGNED else None,
        time_window_start=local_time_to_utc(today, start, settings.zone, days_later=1),
        time_window_end=local_time_to_utc(today, end, settings.zone, days_later=1),
        meta=dict(META),
    )
