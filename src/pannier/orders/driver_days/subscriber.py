"""The subscriber that lets the worker refresh a driver's ETAs after a change."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from pannier.db import Db
from pannier.events.catalog import Name
from pannier.events.models import Event

ORDER_NAMES: Final = frozenset(
    {
        Name.ORDER_DISPATCHED,
        Name.ORDER_STARTED,
        Name.ORDER_UPDATED,
        Name.ORDER_COMPLETED,
        Name.ORDER_CANCELLED,
    }
)
DRIVER_NAMES: Final = frozenset({Name.DRIVER_ONLINE, Name.DRIVER_LOCATION_CHANGED})
# Several changes in a row cause one refresh.
ORDER_DELAY: Final = timedelta(seconds=5)
# A run that is due later than this sleeps.
AWAKE_DURATION: Final = timedelta(minutes=1)


async def subscriber(db: Db, events: Sequence[Event]) -> None:
    """Schedule the ETA runs of drivers with changed orders, and wake those of reporting drivers."""
    orders = [event.subject for event in events if event.name in ORDER_NAMES]
    drivers = [event.subject for event in events if event.name in DRIVER_NAMES]
    if orders:
        # The run of a driver without stops is deleted when it is due.
        await db.execute(
            """insert into eta_runs as r (driver, company, due_at)
               select distinct driver, company, pannier_now() from orders
               where public_id = any(:orders) and driver is not null
                 and dispatched_at is not null
               order by driver
               on conflict (driver) do update set due_at = pannier_now() + :delay::interval
               where r.due_at > pannier_now() + :delay::interval""",
            orders=orders,
            delay=ORDER_DELAY,
        )
    if drivers:
        await db.execute(
            """update eta_runs set due_at = pannier_now() where driver = any(array(
                   select r.driver from eta_runs r join drivers d on d.uuid = r.driver
                   where d.public_id = any(:drivers)
                     and r.due_at > pannier_now() + :awake::interval
                   order by r.driver for update of r))""",
            drivers=drivers,
            awake=AWAKE_DURATION,
        )
