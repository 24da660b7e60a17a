"""Actions on tracks: reports become events of a device, each stored once."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.devices import items, readings
from pannier.devices.brokers.backends import IngestBackend
from pannier.devices.items import EventItem
from pannier.devices.models import Device
from pannier.devices.outcomes import IngestOutcome
from pannier.devices.readings import MAX_CLOCK_AHEAD, ClockBounds, ItemRefusal, Reading
from pannier.devices.registry import service as registry
from pannier.devices.sources import Source
from pannier.devices.tracks.schemas import FixIn, TrackIn
from pannier.errors import FieldError, Invalid
from pannier.fleet.auth import DriverCaller
from pannier.fleet.models import Driver, Vehicle
from pannier.web import times, validation_errors
from pannier.web.exchange import Exchange

MAX_PARSED_INLINE: Final = 50  # reports that are parsed without a thread
# An old time does not indicate a wrong clock here. The store rejects expired times.
EARLIEST: Final = datetime(1, 1, 1, tzinfo=UTC)
# Codes by the field that is wrong; other fields are measures.
CODES: Final = {
    "latitude": "location_invalid",
    "longitude": "location_invalid",
    "location": "location_invalid",
    "recorded_at": "timestamp_invalid",
    "event_id": "event_id_invalid",
}


async def get_or_create_phone(db: Db, driver: Driver) -> Device:
    """Return a driver's phone, created in its own transaction on first use.

    The writer stores the reading in another transaction, which must find the phone.
    """
    phone = await registry.find_phone(db, driver)
    if phone is None:
        async with db.database.side_transaction() as side_db:
            phone = await registry.get_or_create_phone(side_db, driver)
    return phone


async def get_or_create_virtual_device(db: Db, vehicle: Vehicle) -> Device:
    """Return a vehicle's virtual device, created in its own transaction on first use."""
    device = await registry.find_virtual_device(db, vehicle)
    if device is None:
        async with db.database.side_transaction() as side_db:
            device = await registry.get_or_create_virtual_device(side_db, vehicle)
    return device


async def store_report(
    exchange: Exchange,
    backend: IngestBackend,
    caller: FleetKey | DriverCaller,
    device: Device,
    report: TrackIn,
) -> None:
    """Store one report, or raise Invalid."""
    reading = parse_item(report.to_item(exchange.db.now), caller.company, exchange.db.now)
    outcome = await _store_readings(exchange, backend, to_source(caller, device), [reading])
    if outcome.refusals:
        raise Invalid(fields=[FieldError("recorded_at", outcome.refusals[0].reason)])


async def store_reports(
    exchange: Exchange,
    backend: IngestBackend,
    caller: FleetKey | DriverCaller,
    device: Device,
    reports: Sequence[object],
) -> IngestOutcome:
    """Store many reports. An invalid one is rejected without affecting the others."""
    # In a thread, because parsing many reports would block the event loop.
    parse = partial(parse_reports, reports, caller.company, device, exchange.db.now)
    parsed_readings, refusals = (
        await asyncio.to_thread(parse) if len(reports) > MAX_PARSED_INLINE else parse()
    )
    return await _store_readings(
        exchange, backend, to_source(caller, device), parsed_readings, refusals
    )


def parse_reports(
    reports: Sequence[object], company: UUID, device: Device, now: datetime
) -> tuple[list[Reading], list[ItemRefusal]]:
    """Parse many reports, each independently."""
    parsed_readings: list[Reading] = []
    refusals: list[ItemRefusal] = []
    for index, report in enumerate(reports):
        try:
            parsed_readings.append(parse_item(_to_fix(report).to_item(now), company, now))
        except Invalid as error:
            refusals.append(_to_refusal(index, error, report, device))
    return parsed_readings, refusals


def to_source(caller: FleetKey | DriverCaller, device: Device) -> Source:
    """Return the source of a report. A driver's is stored only while their session is valid."""
    token = caller.token if isinstance(caller, DriverCaller) else None
    return Source(caller.company, device.uuid, token, speaks_for_all=False, adopts=False)


async def _store_readings(
    exchange: Exchange,
    backend: IngestBackend,
    source: Source,
    new_readings: Sequence[Reading],
    refusals: Sequence[ItemRefusal] = (),
) -> IngestOutcome:
    """Store readings without holding a transaction meanwhile."""
    async with exchange.edge.suspend_transaction(exchange):
        return await backend.put(source, new_readings, refusals)


def parse_item(item: EventItem, company: UUID, now: datetime) -> Reading:
    """Parse a report, or raise Invalid."""
    bounds = ClockBounds(EARLIEST, now + MAX_CLOCK_AHEAD)
    return readings.parse(
        item, device=None, now=now, bounds=bounds, key=readings.company_hash(company)
    )


def _to_fix(report: object) -> FixIn:
    try:
        return msgspec.convert(report, FixIn, dec_hook=times.read)
    except msgspec.ValidationError as error:
        raise validation_errors.from_msgspec(error) from None


def _to_refusal(index: int, error: Invalid, report: object, device: Device) -> ItemRefusal:
    field = error.fields[0]
    code = CODES.get(field.path.partition(".")[0], "data_invalid")
    return ItemRefusal(index, code, field.message, items.make_excerpt(report), device.public_id)
