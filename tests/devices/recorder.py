"""Writes device events into the database by themselves, for tests of reading them."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from typing import Any
from uuid import UUID, uuid4

from msgspec.structs import astuple

from pannier.db import Database, Db
from pannier.devices import event_types
from pannier.devices.event_types import SEVERITIES
from pannier.devices.events import hourly_sums
from pannier.devices.events.cursors import event_id
from pannier.devices.events.schemas import to_mark
from pannier.devices.models import DeviceEventRow
from program import PATIENCE
from stage import NOON, Firm

UNCOUNTED = """select exists (select from device_batches b left join device_counted c
    on true where (b.xid, b.batch) > (coalesce(c.xid, 0), coalesce(c.batch, 0)))"""
EVENTS = "/int/v1/fleet-module/device-events"
COLUMNS = [name.rstrip("_") for name in DeviceEventRow.__struct_fields__]
_keys = count(1)


def ids(*rows: DeviceEventRow) -> list[str]:
    """Name events as the API does."""
    return [event_id(to_mark(row)) for row in rows]


async def add_up(firm: Firm) -> None:
    """Add up all events by the hour.

    The sums wait for every older transaction of the server, so also for those of other tests.
    """
    database: Database = firm.house.database
    async with asyncio.timeout(PATIENCE):
        while await hourly_sums.step(database) or await firm.house.value(UNCOUNTED):  # noqa: ASYNC110 - the database tells
            await asyncio.sleep(0)


@dataclass
class Known:
    """A device of the test."""

    uuid: UUID
    id: str
    number: int


@dataclass
class Recorder:
    """Stores what devices of a company say, as whoever takes it in does."""

    firm: Firm

    async def device(self, name: str = "Tracker", **columns: Any) -> Known:
        uuid, public_id = uuid4(), f"device_{uuid4().hex[:16]}"
        given = {"kind": "tracker", **columns}
        number = await self.firm.house.value(
            f"""insert into devices (uuid, public_id, company, name, meta, created_at, updated_at,
                    {", ".join(given)})
                values (:uuid, :public_id, :company, :name, :meta, :now, :now,
                    {", ".join(f":{name}" for name in given)}) returning number""",
            uuid=uuid,
            public_id=public_id,
            company=self.firm.uuid,
            name=name,
            meta={},
            now=NOON,
            **given,
        )
        return Known(uuid, public_id, number)

    async def vehicle(self) -> str:
        made = await self.firm.api.post("/v1/vehicles", json={})
        return str(made.json()["id"])

    async def attach(
        self, device: Known, vehicle: str, since: datetime, until: datetime | None = None
    ) -> None:
        await self.firm.house.value(
            """insert into attachments (uuid, company, device, vehicle, since, until)
               select :uuid, :company, :device, v.uuid, :since, :until
               from vehicles v where v.public_id = :vehicle returning uuid""",
            uuid=uuid4(),
            company=self.firm.uuid,
            device=device.uuid,
            vehicle=vehicle,
            since=since,
            until=until,
        )

    def event(
        self,
        device: Known,
        minutes: float = 0,
        event_type: str = "position_update",
        *,
        at: tuple[float, float] | None = None,
        severity: str | None = None,
        **data: Any,
    ) -> DeviceEventRow:
        """Make an event so many minutes before noon; `at` is a longitude and a latitude."""
        type_ = event_types.from_name(event_type)
        longitude, latitude = at or (None, None)
        measured = {
            name: data.pop(name)
            for name in ("speed", "heading", "altitude", "accuracy", "flags")
            if name in data
        }
        return DeviceEventRow(
            device_no=device.number,
            occurred_at=NOON - timedelta(minutes=minutes),
            event_key=next(_keys) * 7919 - 10**6,
            batch=0,
            company=self.firm.uuid,
            latitude=latitude,
            longitude=longitude,
            class_=type_.class_,
            kind=type_.number,
            type=None if type_.number else type_.name,
            severity=None if severity is None else SEVERITIES.index(severity),
            data=data or None,
            **measured,
        )

    async def store(self, *events: DeviceEventRow) -> list[DeviceEventRow]:
        """Store events in a transaction of their own."""
        async with self.firm.house.database.transaction() as db:
            await self.write(db, events)
        return list(events)

    async def write(self, db: Db, events: Iterable[DeviceEventRow]) -> None:
        """Store events as a batch of a transaction."""
        rows = list(events)
        batch = await db.fetch_value(
            """insert into device_batches (company, xid, received_at, earliest, latest, events)
               values (:company, pg_current_xact_id()::text::bigint, :now, :earliest, :latest,
                   :events) returning batch""",
            company=self.firm.uuid,
            now=db.now,
            earliest=min(row.occurred_at for row in rows),
            latest=max(row.occurred_at for row in rows),
            events=len(rows),
        )
        for row in rows:
            row.batch = batch
        connection = await db._flush_and_get_connection()  # noqa: SLF001 - to copy, as no verb does
        await connection.copy_records_to_table(
            "device_events", columns=COLUMNS, records=[astuple(row) for row in rows]
        )
        db.notify("device_events")
