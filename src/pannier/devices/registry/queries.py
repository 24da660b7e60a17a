"""Queries of the device registry."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db, Page, PageIn, Sort, Table, Where, columns, load_page
from pannier.devices.models import Attachment, Device, Status
from pannier.devices.registry.schemas import (
    AttachmentRow,
    DeviceDetails,
    DeviceFilters,
    DeviceOut,
    NewDeviceOut,
)
from pannier.devices.rules.silence import OFFLINE_AFTER_INTERVALS, STALE_AFTER_INTERVALS
from pannier.fleet.queries import DRIVERS, VEHICLES

DEVICES: Final = Table(
    "devices",
    Device,
    sort=Sort(("created_at", "updated_at", "name")),
    search=("name", "identifier", "provider"),
    by_parts=True,
)
ATTACHMENT_SORT: Final = Sort(("since",))
# The time up to which all contacts are recorded. Deferred effects (`deferred`) delay it by at most
# a minute, so that no device counts as silent because of them.
_RECORDED_UNTIL: Final = """greatest(
    least((select min(received_at) from device_put_off), :now::timestamptz),
    :now::timestamptz - interval '1 minute')"""
# The rules of `rules.silence` in SQL; `s` is the state of a device. The index on the reported
# status finds candidates: it equals the current status unless a check is due.
_STALE_SINCE: Final = (
    f":now::timestamptz - make_interval(secs => {STALE_AFTER_INTERVALS} * reporting_interval)"
)
_OFFLINE_SINCE: Final = (
    f":now::timestamptz - make_interval(secs => {OFFLINE_AFTER_INTERVALS} * reporting_interval)"
)
_STATUS_CONDITIONS: Final[Mapping[Status, str]] = {
    "online": f"s.last_seen_at > {_STALE_SINCE}",
    "stale": f"s.last_seen_at <= {_STALE_SINCE} and s.last_seen_at > {_OFFLINE_SINCE}",
    "offline": f"s.last_seen_at <= {_OFFLINE_SINCE}",
}


class DeviceNumber(msgspec.Struct):
    """The number under which a device's events are stored."""

    uuid: UUID
    number: int


async def list_devices(db: Db, company: UUID, filters: DeviceFilters) -> Page[Device]:
    """List devices, newest first."""
    where = DEVICES.where(company).add_equal(identifier=filters.identifier)
    if filters.kind is not None:
        where.add_any_of("kind", filters.kind)
    if filters.driver is not None:
        where.add_equal(
            driver=(await DRIVERS.resolve_reference(db, company, "driver", filters.driver)).uuid
        )
    if filters.vehicle is not None:
        vehicle = await VEHICLES.resolve_reference(db, company, "vehicle", filters.vehicle)
        where.add(
            """uuid in (select uuid from devices where vehicle = :vehicle
               union all select p.uuid from devices p join drivers r on r.uuid = p.driver
               where r.vehicle = :vehicle and r.deleted_at is null)""",
            vehicle=vehicle.uuid,
        )
    if filters.status is not None:
        _filter_by_status(where, filters.status, await load_recorded_until(db))
    return await DEVICES.load_page(db, where, filters, query=filters.query)


async def load_recorded_until(db: Db) -> datetime:
    """Return the time up to which all contacts of devices are recorded."""
    moment: datetime = await db.fetch_value(f"select {_RECORDED_UNTIL}", now=db.now)
    return moment


def _filter_by_status(where: Where, statuses: Sequence[Status], now: datetime) -> None:
    states = "select from device_states s where s.device = devices.uuid and s.company = :company"
    rules = [
        f"(s.status = '{status}' or s.status_due_at <= :now) and {rule}"
        for status, rule in _STATUS_CONDITIONS.items()
        if status in statuses
    ]
    alternatives = [f"exists ({states} and ({' or '.join(rules)}))"] if rules else []
    if "never_seen" in statuses:
        alternatives.append(f"not exists ({states})")
    where.add(f"({' or '.join(alternatives) or 'false'})", now=now)


async def load_details(db: Db, company: UUID, uuids: Sequence[UUID]) -> dict[UUID, DeviceDetails]:
    """Load details that a device's row lacks: vehicle, driver, last contact, last position.

    A deleted vehicle is left out.
    """
    rows = await db.fetch_all(
        DeviceDetails,
        f"""select d.uuid, v.public_id as vehicle, r.public_id as driver, s.last_seen_at,
                  {_RECORDED_UNTIL} as recorded_until, w.latitude, w.longitude, w.located_at
           from devices d
           left join device_states s on s.device = d.uuid
           left join whereabouts w on w.subject = d.uuid
           left join drivers r on r.uuid = d.driver
           left join vehicles v on v.uuid = coalesce(d.vehicle, r.vehicle) and v.deleted_at is null
           where d.company = :company and d.uuid = any(:uuids)""",
        company=company,
        uuids=list(uuids),
        now=db.now,
    )
    return {row.uuid: row for row in rows}


async def to_out(db: Db, company: UUID, rows: Sequence[Device]) -> list[DeviceOut]:
    """Convert devices to JSON fields, with their current status."""
    details = await load_details(db, company, [row.uuid for row in rows])
    return [DeviceOut.from_row(row, details[row.uuid]) for row in rows]


async def to_new_out(db: Db, company: UUID, row: Device, token: str) -> NewDeviceOut:
    """Convert a device to JSON fields with its token, which is shown once."""
    details = await load_details(db, company, [row.uuid])
    return NewDeviceOut.from_row(row, details[row.uuid], token=token)


async def load_numbers(db: Db, company: UUID, uuids: Sequence[UUID]) -> dict[UUID, int]:
    """Return the numbers of devices, including deleted ones."""
    rows = await db.fetch_all(
        DeviceNumber,
        "select uuid, number from devices where company = :company and uuid = any(:uuids)",
        company=company,
        uuids=list(uuids),
    )
    return {row.uuid: row.number for row in rows}


async def list_attachments(
    db: Db, company: UUID, device: UUID, filters: PageIn
) -> Page[AttachmentRow]:
    """List the vehicles a device was on, latest first."""
    where = Where(company).add_equal(device=device)
    select = f"select {columns(AttachmentRow)} from device_spans"
    return await load_page(db, AttachmentRow, select, where, filters, ATTACHMENT_SORT)


async def load_latest_attachments(db: Db, company: UUID, device: UUID) -> list[Attachment]:
    """Load the last two attachments of a device, latest first."""
    return await db.fetch_all(
        Attachment,
        f"""select {columns(Attachment)} from attachments
            where company = :company and device = :device order by since desc limit 2""",
        company=company,
        device=device,
    )
