"""Queries for positions of drivers and vehicles, from the devices they had."""

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db, Page, Sort
from pannier.devices import kinds, spans
from pannier.devices.events import cursors
from pannier.devices.events import queries as events
from pannier.devices.events.choice import Choice
from pannier.devices.tracks.schemas import PositionFilters, PositionOut
from pannier.fleet.models import Driver, Vehicle

# By the time of the fix, not of its report: a device that was offline reports late.
RECORDED: Final = Sort(("recorded_at",))


class _Phone(msgspec.Struct):
    number: int


class _Batch(msgspec.Struct):
    batch: int
    received_at: datetime


async def of_driver(db: Db, driver: Driver, filters: PositionFilters) -> Page[PositionOut]:
    """List a driver's positions, from every phone they ever had, including deleted ones."""
    phones = await db.many(
        _Phone,
        "select number from devices where company = :company and driver = :driver",
        company=driver.company,
        driver=driver.uuid,
    )
    numbers = tuple(phone.number for phone in phones)
    return await _page(db, Choice(company=driver.company, devices=numbers), filters)


async def of_vehicle(db: Db, vehicle: Vehicle, filters: PositionFilters) -> Page[PositionOut]:
    """List a vehicle's positions, from the devices on it and the phones of its drivers."""
    found = await spans.of_vehicle(db, vehicle.company, vehicle.uuid)
    return await _page(db, Choice(company=vehicle.company, spans=tuple(found)), filters)


async def _page(db: Db, choice: Choice, filters: PositionFilters) -> Page[PositionOut]:
    keys, company = db.database.keys, choice.company
    _, way = RECORDED.chosen(filters.sort)
    after = None
    if filters.cursor is not None:
        after = cursors.read_cursor(keys, company, filters.cursor, descending=way)
    meant = msgspec.structs.replace(
        choice, types=(kinds.POSITION,), since=filters.since, until=filters.until
    )
    found = await events.page(db, meant, limit=filters.limit, after=after, descending=way)
    received = await _received(db, company, {row.batch for row in found.rows})
    text = found.next and cursors.cursor(keys, company, found.next, descending=way)
    return Page([PositionOut.of(row, received) for row in found.rows], filters.limit, text)


async def _received(db: Db, company: UUID, batches: set[int]) -> dict[int, datetime]:
    """Return when batches arrived. Old batches are deleted and left out."""
    rows = await db.many(
        _Batch,
        """select batch, received_at from device_batches
           where company = :company and batch = any(:batches)""",
        company=company,
        batches=list(batches),
    )
    return {row.batch: row.received_at for row in rows}
