"""Calls for help by devices: the alarm `sos`, such as of a panic button."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from pannier.alerts import service as alerts
from pannier.alerts.models import AlertCause
from pannier.db import Db
from pannier.devices.effects import NewReading
from pannier.web.times import to_rfc3339

ALARM: Final = "sos"
# A device without reception sends its alarms later. Older ones are history.
MAX_AGE: Final = timedelta(days=1)


async def raise_alerts(db: Db, entries: Iterable[NewReading]) -> None:
    """Alert the operators of new alarms. The last one of each device counts.

    The entries are sorted by device, as in every flush, so that two flushes never deadlock.
    """
    last_alarms = {
        entry.device.number: entry
        for entry in entries
        if entry.reading.data and entry.reading.data.get("alarm") == ALARM
    }
    for device, reading in ((entry.device, entry.reading) for entry in last_alarms.values()):
        if reading.occurred_at < db.now - MAX_AGE:
            continue
        cause = AlertCause(
            kind="sos",
            subject=device.public_id,
            subject_uuid=device.uuid,
            id=f"{to_rfc3339(reading.occurred_at)} {reading.event_key}",
            details={"occurred_at": to_rfc3339(reading.occurred_at)},
        )
        await alerts.raise_alert(db, device.company, cause)
