"""Figures of a day's devices: which were heard of, in which hours, and their readings.

They are counted in whole hours, as the sums of device events are. Drivers' phones are left out:
they are silent whenever their driver is.
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.devices.event_types import HEARTBEAT
from pannier.devices.events import hourly_sums
from pannier.devices.sweep import REJECTS
from pannier.reports.figures import Bounds
from pannier.reports.models import DeviceFigures

# Refused readings expire first.
SOURCE: Final = REJECTS.table
KEEP: Final[timedelta] = hourly_sums.SUM_RETENTION
# A derived status says that a device went silent, so it is no sign of life. An hour counts on the
# day in which it begins.
_DEVICES: Final = f"""
    with present as (
        select number, greatest(:start, date_trunc('hour', created_at, 'UTC')) as since,
            least(:end, deleted_at, :now) as until
        from devices
        where company = :company and kind <> 'phone' and created_at < least(:end, :now)
            and (deleted_at is null or deleted_at > :start)),
    heard as (
        select ceil(extract(epoch from p.until) / 3600) - ceil(extract(epoch from p.since) / 3600)
                as device_hours, c.hours, c.readings
        from present p cross join lateral (
            select count(distinct hour) as hours, coalesce(sum(events), 0) as readings
            from device_counts
            where company = :company and device_no = p.number
                and (kind <> {HEARTBEAT.number} or type <> '{hourly_sums.STATUS}')
                and hour >= p.since and hour < p.until) c)
    select count(*) as devices, count(*) filter (where hours > 0) as heard,
        coalesce(sum(device_hours), 0)::bigint as device_hours,
        coalesce(sum(device_hours - hours), 0)::bigint as silent_hours,
        coalesce(sum(readings), 0)::bigint as readings,
        (select count(*) from device_rejects
         where company = :company and received_at >= :start and received_at < :end) as refused
    from heard"""


async def compute_devices(db: Db, company: UUID, bounds: Bounds) -> list[DeviceFigures]:
    """Compute the devices of a day. A day without devices and refused readings has no row."""
    start, end = bounds
    row = await db.get(DeviceFigures, _DEVICES, company=company, start=start, end=end, now=db.now)
    return [row] if row.devices or row.refused else []
