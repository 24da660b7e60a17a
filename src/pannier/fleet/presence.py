"""Set drivers online or offline."""

from datetime import datetime

from pannier.db import Db
from pannier.errors import Conflict
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.fleet import eligibility, whereabouts
from pannier.fleet.events import DriverPresence
from pannier.fleet.models import Driver
from pannier.fleet.queries import DRIVERS
from pannier.kit import device_times
from pannier.web.times import to_rfc3339


class DriverInactive(Conflict):
    """An inactive, suspended or terminated driver cannot go on duty."""

    code = "driver_inactive"
    title = "The driver is not active."
    remedy = "Change the driver's status first."


async def set_online(
    db: Db, driver: Driver, *, online: bool | None, occurred_at: datetime | None = None
) -> Driver:
    """Set a driver online or offline. Toggle the state if `online` is None."""
    should_be_online = not driver.online if online is None else online
    check_online(driver, online=should_be_online)
    updated_driver, changed_columns = await DRIVERS.change(db, driver, online=should_be_online)
    await emit_presence(db, updated_driver, changed_columns, occurred_at=occurred_at)
    return updated_driver


def check_online(driver: Driver, *, online: bool) -> None:
    """Refuse to set a driver online if the driver's status does not allow work."""
    if online and not eligibility.can_work(driver.status):
        raise DriverInactive


async def emit_presence(
    db: Db, driver: Driver, changed_columns: list[str], *, occurred_at: datetime | None = None
) -> None:
    """Emit a driver's presence, if it changed."""
    if "online" in changed_columns:
        name = Name.DRIVER_ONLINE if driver.online else Name.DRIVER_OFFLINE
        positions = await whereabouts.load(db, driver.company, [driver.uuid])
        moment = device_times.limit_to_range(
            occurred_at, earliest=driver.created_at, now=db.now
        ).time
        data = DriverPresence.from_row(
            driver, positions.get(driver.uuid), occurred_at=to_rfc3339(moment)
        )
        await outbox.emit(db, driver.company, name, data, subject=driver.public_id)
