"""The history of drivers and their vehicles.

A driver's track is the track of the vehicle that the driver had at the time.
"""

from pannier.db import Db
from pannier.fleet.models import Drive, Driver


async def record_change(db: Db, old_driver: Driver, new_driver: Driver) -> None:
    """Record a change of a driver's vehicle, if there is one."""
    if old_driver.vehicle == new_driver.vehicle:
        return
    if old_driver.vehicle is not None:
        await db.execute(
            """update drives set until = :now
               where company = :company and driver = :driver and until is null""",
            company=new_driver.company,
            driver=new_driver.uuid,
            now=db.now,
        )
    if new_driver.vehicle is not None:
        drive = Drive(
            uuid=db.new_uuid(),
            company=new_driver.company,
            driver=new_driver.uuid,
            vehicle=new_driver.vehicle,
            since=db.now,
        )
        await db.insert("drives", drive)
