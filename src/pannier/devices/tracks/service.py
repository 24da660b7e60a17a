"""Verbs of tracks: reports become events of a device, each stored once."""

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
from pannier.devices.items import Item
from pannier.devices.models import Device
from pannier.devices.outcomes import Outcome
from pannier.devices.readings import AHEAD, Bounds, Reading, Refusal
from pannier.devices.registry import service as registry
from pannier.devices.sources import Source
from pannier.devices.streams.takers import Takes
from pannier.devices.tracks.schemas import FixIn, TrackIn
from pannier.errors import Field, Invalid
from pannier.fleet.auth import Driving
from pannier.fleet.models import Driver, Vehicle
from pannier.web import offenders, times
from pannier.web.exchange import Exchange

FEW: Final = 50  # reports that are parsed without a thread
# Old times are no sign of a wrong clock here. The store rejects those beyond retention.
EARLIEST: Final = datetime(1, 1, 1, tzinfo=UTC)
# Codes by the field that is wrong; other fields are measures.
CODES: Final = {
    "latitude": "location_invalid",
    "longitude": "location_invalid",
    "location": "location_invalid",
    "recorded_at": "timestamp_invalid",
    "event_id": "event_id_invalid",
}


async def phone_of(db: Db, driver: Driver) -> Device:
    """Return a driver's phone, created in its own transaction on first use.

    The writer stores the reading in another transaction, which must find the phone.
    """
    found = await registry.known_phone(db, driver)
    if found is None:
        async with db.database.apart() as own:
            found = await registry.phone_of(own, driver)
    return found


async def virtual_of(db: Db, vehicle: Vehicle) -> Device:
    """Return a vehicle's virtual device, created in its own transaction on first use."""
    found = await registry.known_virtual(db, vehicle)
    if found is None:
        async with db.database.apart() as own:
            found = await registry.virtual_of(own, vehicle)
    return found


async def track(
    exchange: Exchange, taking: Takes, caller: FleetKey | Driving, device: Device, told: TrackIn
) -> None:
    """Store one report, or raise Invalid."""
    reading = _read(told.item(exchange.db.now), caller.company, exchange.db.now)
    outcome = await _put(exchange, taking, source(caller, device), [reading])
    if outcome.refusals:
        raise Invalid(fields=[Field("recorded_at", outcome.refusals[0].reason)])


async def track_all(
    exchange: Exchange,
    taking: Takes,
    caller: FleetKey | Driving,
    device: Device,
    told: Sequence[object],
) -> Outcome:
    """Store many reports; an invalid one is rejected by its index."""
    # In a thread, because parsing many reports would block the event loop.
    work = partial(read_all, told, caller.company, device, exchange.db.now)
    found, refusals = await asyncio.to_thread(work) if len(told) > FEW else work()
    return await _put(exchange, taking, source(caller, device), found, refusals)


def read_all(
    told: Sequence[object], company: UUID, device: Device, now: datetime
) -> tuple[list[Reading], list[Refusal]]:
    """Parse many reports, each independently."""
    found: list[Reading] = []
    refusals: list[Refusal] = []
    for index, one in enumerate(told):
        try:
            found.append(_read(_fix(one).item(now), company, now))
        except Invalid as wrong:
            refusals.append(_refusal(index, wrong, one, device))
    return found, refusals


def source(caller: FleetKey | Driving, device: Device) -> Source:
    """Return the source of a report. A driver's is stored only while their session is valid."""
    token = caller.token if isinstance(caller, Driving) else None
    return Source(caller.company, device.uuid, token, speaks_for_all=False, adopts=False)


async def _put(
    exchange: Exchange,
    taking: Takes,
    source: Source,
    found: Sequence[Reading],
    refusals: Sequence[Refusal] = (),
) -> Outcome:
    """Store readings, without holding a transaction while waiting."""
    async with exchange.edge.outside(exchange):
        return await taking.put(source, found, refusals)


def _read(item: Item, company: UUID, now: datetime) -> Reading:
    bounds = Bounds(EARLIEST, now + AHEAD)
    return readings.read(item, device=None, now=now, bounds=bounds, key=readings.keyed(company))


def _fix(told: object) -> FixIn:
    try:
        return msgspec.convert(told, FixIn, dec_hook=times.read)
    except msgspec.ValidationError as wrong:
        raise offenders.invalid(wrong) from None


def _refusal(index: int, wrong: Invalid, told: object, device: Device) -> Refusal:
    field = wrong.fields[0]
    code = CODES.get(field.path.partition(".")[0], "data_invalid")
    return Refusal(index, code, field.message, items.kept(told), device.public_id)
