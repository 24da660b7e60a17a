"""Whether other records still need a record that an import created. Deleted ones do not."""

from typing import Final
from uuid import UUID

from pannier.db import Db

# Whether a payload belongs to a deleted order.
_IS_DELETED: Final = """exists (select from orders
    where orders.uuid = payloads.order_uuid and orders.deleted_at is not null)"""


async def is_place_used(db: Db, company: UUID, place: UUID) -> bool:
    """Return whether an order, a contact, a vendor or a driver refers to a place."""
    return await _exists(
        db,
        f"""select from payloads where company = :company and not {_IS_DELETED}
               and (pickup = :record or dropoff = :record or return_place = :record)
           union all select from waypoints join payloads on payloads.uuid = waypoints.payload
               where waypoints.company = :company and waypoints.place = :record
                 and not {_IS_DELETED}
           union all select from contacts
               where company = :company and place = :record and deleted_at is null
           union all select from vendors
               where company = :company and place = :record and deleted_at is null
           union all select from drivers where company = :company and deleted_at is null
               and (start_place = :record or end_place = :record)""",
        company,
        place,
    )


async def is_contact_used(db: Db, company: UUID, contact: UUID) -> bool:
    """Return whether an order, a stop or an item refers to a contact."""
    return await _exists(
        db,
        f"""select from orders
               where company = :company and customer = :record and deleted_at is null
           union all select from waypoints join payloads on payloads.uuid = waypoints.payload
               where waypoints.company = :company and waypoints.contact = :record
                 and not {_IS_DELETED}
           union all select from entities left join payloads on payloads.uuid = entities.payload
               where entities.company = :company and entities.customer = :record
                 and not {_IS_DELETED}""",
        company,
        contact,
    )


async def is_driver_used(db: Db, company: UUID, driver: UUID) -> bool:
    """Return whether an order has a driver."""
    return await _exists(
        db,
        """select from orders
           where company = :company and driver = :record and deleted_at is null""",
        company,
        driver,
    )


async def is_vehicle_used(db: Db, company: UUID, vehicle: UUID) -> bool:
    """Return whether an order or a driver has a vehicle."""
    return await _exists(
        db,
        """select from orders
               where company = :company and vehicle = :record and deleted_at is null
           union all select from drivers
               where company = :company and vehicle = :record and deleted_at is null""",
        company,
        vehicle,
    )


async def _exists(db: Db, query: str, company: UUID, record: UUID) -> bool:
    is_used: bool = await db.fetch_value(f"select exists ({query})", company=company, record=record)
    return is_used
