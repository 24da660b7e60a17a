"""What the demo company has: a shop with rates, two couriers on the road, and orders on their way.

The rates come first: orders are quoted when they are placed, and the dispatched ones owe by the
cheapest.
"""

from decimal import Decimal
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.fleet.drivers import service as drivers
from pannier.fleet.drivers.schemas import DriverIn
from pannier.fleet.vehicles import service as vehicles
from pannier.fleet.vehicles.schemas import VehicleIn
from pannier.orders import service as orders
from pannier.orders.schemas import OrderIn, Person
from pannier.payloads.schemas import EntityIn
from pannier.places import service as places
from pannier.places.schemas import PlaceIn
from pannier.rates import service as rates
from pannier.rates.models import MeterFee, PeakWindow
from pannier.rates.schemas import ServiceRateIn

# By the kilometre, dearer when everybody is on the road; by how far it is; and for those who wait.
RATES: Final = (
    ServiceRateIn(
        service_name="Express", service_type="express", currency="SGD", public=True,
        rate_calculation_method="per_meter", base_fee=500, per_meter_unit="km",
        per_meter_flat_rate_fee=Decimal(80), has_peak_hours_fee=True,
        peak_hours_calculation_method="percentage", peak_hours_percent=Decimal(20),
        peak_windows=[PeakWindow(start="07:30", end="09:30"),
                      PeakWindow(start="17:00", end="20:00")],
        timezone="Asia/Singapore", duration_terms="Within three hours",
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

COURIERS: Final = (
    # Their numbers take a fixed code in test mode.
    ("Ada Lovelace", "+15555550101", "SBA 1843 A", [103.851, 1.284]),
    ("Alan Turing", "+15555550102", "SBA 1912 T", [103.79, 1.404]),
)
# Where orders go, what is in them, who carries them, and whether they are out.
ORDERS: Final = (
    ("80 Mandai Lake Road", [103.7884, 1.4043], "Coffee machine", 0, True),
    ("18 Marina Gardens Drive", [103.8636, 1.2816], "Two ferns", 0, True),
    ("60 Airport Boulevard", [103.988, 1.357], "Suitcase", 1, False),
    ("1 Cluny Road", [103.8159, 1.3138], "Orchids", None, False),
)


async def furnish(db: Db, company: UUID) -> None:
    """Give a company something to look at."""
    for rate in RATES:
        await rates.create_rate(db, company, rate)
    shop = await places.create_place(
        db,
        company,
        PlaceIn(name="Shop", street1="1 Raffles Place", city="Singapore", country="SG",
                location=[103.851, 1.284]),
    )  # fmt: skip
    couriers = [await _courier(db, company, *courier) for courier in COURIERS]
    for street, where, item, courier, out in ORDERS:
        await orders.create(
            db,
            company,
            OrderIn(
                pickup=shop.public_id,
                dropoff={
                    "street1": street,
                    "city": "Singapore",
                    "country": "SG",
                    "location": where,
                },
                entities=[EntityIn(name=item)],
                customer=Person(name="Grace Hopper", phone="+15555550106"),
                driver=None if courier is None else couriers[courier],
                dispatch=out,
            ),
        )


async def _courier(
    db: Db, company: UUID, name: str, phone: str, plate: str, at: list[float]
) -> str:
    vehicle = await vehicles.add(db, company, VehicleIn(plate_number=plate))
    driver = await drivers.take_in(
        db,
        company,
        DriverIn(name=name, phone=phone, online=True, location=at, vehicle=vehicle.public_id),
    )
    return driver.public_id
