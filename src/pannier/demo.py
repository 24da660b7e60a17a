"""What the demo company has: a shop, two couriers on the road, and orders on their way."""

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
