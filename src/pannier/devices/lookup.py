"""Whom readings are of: the devices that puts name, and whether their credentials still live."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts import permissions
from pannier.db import Db
from pannier.devices.outcomes import Put
from pannier.devices.registry.adoption import Named, adoptable
from pannier.devices.sources import SCOPE
from pannier.kit import ids

Name = str | UUID | None


class Known(msgspec.Struct, gc=False):
    """A device that reports, and whom it moves: the vehicle it is on, and its driver.

    In the order of what is selected: of thousands, each is made from its row as it comes.
    """

    company: UUID
    uuid: UUID
    number: int
    public_id: str
    identifier: str | None = None
    driver: UUID | None = None
    # Since when that driver has the vehicle, if the device is not the driver's own.
    driving_since: datetime | None = None
    vehicle: UUID | None = None
    # Since when it is on that vehicle.
    since: datetime | None = None
    reporting_interval: int = 0


# However many there are and whatever the planner thinks of them, each is found by its own index:
# those of a company's rows, or of what was not deleted, are out of the question where that is asked
# only of what was found, or must be true. A row is of what is looked for: a `device`, a
# `credential`, a `batch` to be filled.
_COLUMNS: Final = "company, uuid, number, public_id, identifier, driver, reporting_interval"
_BY_ID: Final = f"""join lateral (
    select {_COLUMNS}, deleted_at from devices where {{}} limit 1) d
    on d.company = any(:writing) and d.deleted_at is null"""
_BY_NAME: Final = f"""join lateral (
    select {_COLUMNS}, deleted_at from devices
    where identifier = n.name and company = n.company offset 0) d on d.deleted_at is null"""
_FOUND: Final = """d.company, d.uuid, d.number, d.public_id, d.identifier, d.driver,
        d.reporting_interval"""
# When it ends or has ended stands where a device has the beginning of its attachment.
_CREDENTIAL: Final = """select 'credential', company, uuid, 0, '', null, null, null, null,
        least(revoked_at, {}), 0
    from {} where (company = any(:writing)) is true and uuid = any(:credentials){}"""
# A phone is on the vehicle that its driver drives, and is none once they have left; nothing is on a
# vehicle that has left. Whoever drives a vehicle is where the devices on it are.
_LOOK: Final = f"""
    with d as materialized (
        select {_FOUND} from unnest(:uuids::uuid[]) n (name) {_BY_ID.format("uuid = n.name")}
        union all
        select {_FOUND} from unnest(:ids::text[]) n (name) {_BY_ID.format("public_id = n.name")}
        union all
        select {_FOUND} from unnest(:companies::uuid[], :names::text[]) n (company, name)
        {_BY_NAME})
    select 'device' as what, d.company, d.uuid, d.number, d.public_id, d.identifier,
        coalesce(d.driver, r.driver) as driver, r.since as driving_since,
        v.uuid as vehicle, coalesce(a.since, w.since) as since, d.reporting_interval
    from d
    left join lateral (
        select deleted_at from drivers where uuid = d.driver limit 1) p on true
    left join lateral (
        select vehicle, since from attachments
        where device = d.uuid and until is null limit 1) a on true
    left join lateral (
        select vehicle, since from drives where driver = d.driver and until is null limit 1) w
        on true
    left join lateral (
        select uuid, deleted_at from vehicles
        where uuid = coalesce(a.vehicle, w.vehicle) limit 1) v on v.deleted_at is null
    left join lateral (
        select driver, since from drives
        where d.driver is null and vehicle = v.uuid and until is null
        order by since desc limit 1) r on true
    where p.deleted_at is null
    union all {_CREDENTIAL.format("ends_at", "tokens", "")}
    union all {_CREDENTIAL.format("expires_at", "keys", " and scopes && :scopes")}
    union all select 'batch', company, company, nextval('device_batches_batch_seq'), '', null, null,
        null, null, null, 0
    from unnest(:writing::uuid[]) b (company)"""


class Found:
    """What is known of the puts of one flush."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._devices: dict[tuple[UUID, str | UUID], Known] = {}
        # Credentials, and when they end.
        self._ends: dict[UUID, datetime | None] = {}
        self.batches = dict[UUID, int]()

    def learn(self, what: str, row: Known) -> None:
        """Know one of what was looked for."""
        if what == "device":
            self.add(row)
        elif what == "batch":
            self.batches[row.company] = row.number
        else:
            self._ends[row.uuid] = row.since

    def add(self, device: Known) -> None:
        """Know a device; where one's id is another's identifier, the id counts."""
        if device.identifier is not None:
            self._devices.setdefault((device.company, device.identifier), device)
        self._devices[device.company, device.public_id] = device
        self._devices[device.company, device.uuid] = device

    def lives(self, put: Put) -> bool:
        """Tell whether what a put came with is still good, or was when it was taken."""
        source = put.source
        shown = source.token or source.key
        # A device that was deleted takes its token along.
        known = source.device is None or (source.company, source.device) in self._devices
        return known and (shown is None or self._good(shown, source.taken_at or self._now))

    def _good(self, credential: UUID, moment: datetime) -> bool:
        if credential not in self._ends:
            return False
        end = self._ends[credential]
        return end is None or moment < end

    def device(self, put: Put, name: str | None) -> Known | None:
        """Find the device that a put names, if its sender may speak for it."""
        source = put.source
        if name is None:
            return self._devices.get((source.company, source.device or ""))
        found = None
        if (uuid := ids.as_uuid(name)) is not None:
            found = self._devices.get((source.company, uuid))
        if found is None:
            found = self._devices.get((source.company, name))
        own_name = found is not None and found.uuid == source.device
        return found if source.speaks_for_all or own_name else None


async def find(db: Db, puts: Sequence[Put], names: Sequence[set[str]]) -> Found:
    """Look up all that a flush must know, in one statement; `names` are those in each put."""
    uuids = {put.source.device for put in puts if put.source.device is not None}
    named = list[tuple[UUID, str]]()
    for put, some in zip(puts, names, strict=True):
        named.extend((put.source.company, name) for name in some)
        uuids.update(uuid for name in some if (uuid := ids.as_uuid(name)) is not None)
    shown = (put.source.token or put.source.key for put in puts)
    rows = await db.tuples(
        _LOOK,
        uuids=list(uuids),
        companies=[company for company, _ in named],
        names=[name for _, name in named],
        ids=[name for _, name in named if ids.looks_public(name)],
        credentials=[each for each in shown if each is not None],
        scopes=[permissions.EVERYTHING, SCOPE],
        writing=sorted({put.source.company for put in puts}),
    )
    found = Found(db.now)
    for what, *row in rows:
        found.learn(what, Known(*row))
    return found


def strangers(
    puts: Sequence[Put], names: Sequence[set[str]], found: Found
) -> dict[Named, str | None]:
    """List the devices that nobody knows, of those that a gateway may take in.

    Each with what people call it, if that was said.
    """
    called = {
        (put.source.company, reading.device): reading.called
        for put in puts
        if put.source.adopts
        for reading in put.readings
        if reading.called
    }
    return {
        (put.source.company, name): called.get((put.source.company, name))
        for put, some in zip(puts, names, strict=True)
        if put.source.adopts and found.lives(put)
        for name in some
        if adoptable(name) and found.device(put, name) is None
    }
