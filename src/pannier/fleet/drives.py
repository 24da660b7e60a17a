"""The history of drivers and their vehicles.

A driver's track is that of the vehicle they had at the time.
"""

from pannier.db import Db
from pannier.fleet.models import Drive, Driver


async def record_change(db: Db, before: Driver, after: Driver) -> None:
    """Record that a driver got, changed or gave up a vehicle, if that changed."""
    if before.vehicle == after.vehicle:
        return
    if before.vehicle is not None:
        await db.execute(
            """update drives set until = :now
               where company = :company and driver = :driver and until is null""",
            company=after.company,
            driver=after.uuid,
            now=db.now,
        )
    if after.vehicle is not None:
        drive = Drive(
            uuid=db.new_uuid(),
            company=after.company,
            driver=after.uuid,
            vehicle=after.vehicle,
            since=db.now,
        )
        await db.insert("drives", drive)
