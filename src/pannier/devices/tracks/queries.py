"""Queries for positions of drivers and vehicles, from the devices they had."""

from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db, Page, Sort
from pannier.devices import event_types, spans
from pannier.devices.events import cursors
from pannier.devices.events import queries as events
from pannier.devices.events.choice import EventChoice
from pannier.devices.tracks.schemas import PositionFilters, PositionOut
from pannier.fleet.models import Driver, Vehicle

# By the time of the fix, not of its report: a device that was offline reports late.
NEWEST_FIRST: Final = Sort(("recorded_at",))


class _DeviceNumberRow(msgspec.Struct):
    number: int


class _BatchRow(msgspec.Struct):
    batch: int
    received_at: datetime


async def list_positions_of_driver(
    db: Db, driver: Driver, filters: PositionFilters
) -> Page[PositionOut]:
    """List a driver's positions from all their phones, including deleted phones."""
    rows = await db.fetch_all(
        _DeviceNumberRow,
        "select number from devices where company = :company and driver = :driver",
        company=driver.company,
        driver=driver.uuid,
    )
    device_numbers = tuple(row.number for row in rows)
    return await _load_page(
        db, EventChoice(company=driver.company, devices=device_numbers), filters
    )


async def list_positions_of_vehicle(
    db: Db, vehicle: Vehicle, filters: PositionFilters
) -> Page[PositionOut]:
    """List a vehicle's positions, from the devices on it and the phones of its drivers."""
    vehicle_spans = await spans.list_spans_of_vehicle(db, vehicle.company, vehicle.uuid)
    return await _load_page(
        db, EventChoice(company=vehicle.company, spans=tuple(vehicle_spans)), filters
    )


async def _load_page(db: Db, selection: EventChoice, filters: PositionFilters) -> Page[PositionOut]:
    keys, company = db.database.keys, selection.company
    _, descending = NEWEST_FIRST.parse(filters.sort)
    last_mark = None
    if filters.cursor is not None:
        last_mark = cursors.decode_cursor(keys, company, filters.cursor, descending=descending)
    position_selection = msgspec.structs.replace(
        selection, types=(event_types.POSITION,), since=filters.since, until=filters.until
    )
    page = await events.load_page(
        db, position_selection, limit=filters.limit, last_mark=last_mark, descending=descending
    )
    arrivals = await _load_arrivals(db, company, {row.batch for row in page.rows})
    next_cursor = page.next and cursors.encode_cursor(
        keys, company, page.next, descending=descending
    )
    return Page(
        [PositionOut.from_row(row, arrivals) for row in page.rows], filters.limit, next_cursor
    )


async def _load_arrivals(db: Db, company: UUID, batches: set[int]) -> dict[int, datetime]:
    """Return when batches arrived. Old batches are deleted and left out."""
    rows = await db.fetch_all(
        _BatchRow,
        """select batch, received_at from device_batches
           where company = :company and batch = any(:batches)""",
        company=company,
        batches=list(batches),
    )
    return {row.batch: row.received_at for row in rows}
