"""Whom readings are of: the devices that puts name, and whether their credentials still live.

A process remembers the devices that it found. Of those the database only says which have changed
since, or are gone: so nothing old is ever believed.
"""

import weakref
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts import permissions
from pannier.db import Database, Db
from pannier.devices.outcomes import Put
from pannier.devices.registry.adoption import Named, adoptable
from pannier.devices.sources import SCOPE
from pannier.kit import ids

# What somebody calls a device, or its uuid where it is known whose it is.
Name = str | UUID
# How many devices a process remembers.
MOST: Final = 50_000


class Known(msgspec.Struct, gc=False):
    """A device that reports.

    In the order of what is selected: of thousands, each is made from its row as it comes.
    """

    company: UUID
    uuid: UUID
    number: int
    public_id: str
    identifier: str | None = None
    reporting_interval: int = 0
    version: int = 0
    adopts: bool = False


# However many there are and whatever the planner thinks of them, each is found by its own index:
# those of a company's rows, or of what was not deleted, are out of the question where that is asked
# only of what was found, or must be true. A row is of what is looked for: a `device`, a
# `credential`, the `count` of those that were known, a `batch` to be filled.
# A phone is none once its driver has left.
_COLUMNS: Final = (
    "company, uuid, number, public_id, identifier, driver, reporting_interval, version, adopts"
)
_BY_ID: Final = f"""join lateral (
    select {_COLUMNS}, deleted_at from devices where {{}} limit 1) d
    on d.company = any(:writing) and d.deleted_at is null"""
_BY_NAME: Final = f"""join lateral (
    select {_COLUMNS}, deleted_at from devices
    where identifier = n.name and company = n.company offset 0) d on d.deleted_at is null"""
_FOUND: Final = """d.company, d.uuid, d.number, d.public_id, d.identifier, d.driver,
        d.reporting_interval, d.version, d.adopts"""
_DRIVEN: Final = """left join lateral (
        select deleted_at from drivers where uuid = d.driver limit 1) p on true"""
_CREDENTIAL: Final = """select 'credential', company, uuid, 0, '', null, 0, 0, false,
        least(revoked_at, {})
    from {} where (company = any(:writing)) is true and uuid = any(:credentials){}"""
_STRANGE: Final = f"""
    with d as materialized (
        select {_FOUND} from unnest(:uuids::uuid[]) n (name) {_BY_ID.format("uuid = n.name")}
        union all
        select {_FOUND} from unnest(:ids::text[]) n (name) {_BY_ID.format("public_id = n.name")}
        union all
        select {_FOUND} from unnest(:companies::uuid[], :names::text[]) n (company, name)
        {_BY_NAME})
    select 'device' as what, d.company, d.uuid, d.number, d.public_id, d.identifier,
        d.reporting_interval, d.version, d.adopts, null::timestamptz as ends_at
    from d {_DRIVEN} where p.deleted_at is null
    union all """
# Those that were known, as far as they are still there.
STILL_THERE: Final = """devices d where d.uuid = any(:known) and d.deleted_at is null
    and (d.driver is null
        or exists (select from drivers p where p.uuid = d.driver and p.deleted_at is null))"""
_KNOWN: Final = f"""
    {_CREDENTIAL.format("ends_at", "tokens", "")}
    union all {_CREDENTIAL.format("expires_at", "keys", " and scopes && :scopes")}
    union all select 'count', null, null, coalesce(sum(d.version), 0)::bigint, '', null, 0,
        count(*)::integer, false, null
    from {STILL_THERE}
    union all select 'batch', company, company, nextval('device_batches_batch_seq'), '', null, 0, 0,
        false, null
    from unnest(:writing::uuid[]) b (company)"""
_LOOK: Final = _STRANGE + _KNOWN
_CHANGED: Final = f"""
    select c.uuid from unnest(:known::uuid[], :versions::integer[]) c (uuid, version)
    where not exists (
        select from (
            select version, driver, deleted_at from devices where uuid = c.uuid limit 1) d
        {_DRIVEN}
        where d.version = c.version and d.deleted_at is null and p.deleted_at is null)"""


class Found:
    """What is known of the puts of one flush."""

    def __init__(self, now: datetime) -> None:
        self._now = now
        self._devices: dict[UUID, dict[Name, Known]] = {}
        # Those that were remembered, by what they were called.
        self._remembered: dict[tuple[UUID, Name], Known] = {}
        # Credentials, and when they end.
        self._ends: dict[UUID, datetime | None] = {}
        self.batches = dict[UUID, int]()

    def learn(self, what: str, row: Known, ends_at: datetime | None) -> None:
        """Know one of what was looked for, and when it ends, if it does."""
        if what == "device":
            self.add(row)
        elif what == "batch":
            self.batches[row.company] = row.number
        elif what == "credential":
            self._ends[row.uuid] = ends_at

    def add(self, device: Known) -> None:
        """Know a device; where one's id is another's identifier, the id counts."""
        known = self._devices.setdefault(device.company, {})
        if device.identifier is not None:
            known.setdefault(device.identifier, device)
        known[device.public_id] = device
        known[device.uuid] = device

    def remember(self, known: dict[tuple[UUID, Name], Known]) -> None:
        """Know devices by the names by which they were found before."""
        self._remembered = known

    def lives(self, put: Put) -> bool:
        """Tell whether what a put came with is still good, or was when it was taken."""
        source = put.source
        shown = source.token or source.key
        # A device that was deleted takes its token along.
        known = source.device is None or self.named(source.company, source.device) is not None
        return known and (shown is None or self._good(shown, source.taken_at or self._now))

    def _good(self, credential: UUID, moment: datetime) -> bool:
        if credential not in self._ends:
            return False
        end = self._ends[credential]
        return end is None or moment < end

    def named(self, company: UUID, name: Name) -> Known | None:
        """Find the device of a company that is called so; a UUID is nobody else's name."""
        if (device := self._remembered.get((company, name))) is not None:
            return device
        known = self._devices.get(company, {})
        uuid = ids.as_uuid(name) if isinstance(name, str) else None
        return (known.get(uuid) if uuid is not None else None) or known.get(name)

    def device(self, put: Put, name: str | None) -> Known | None:
        """Find the device that a put names, if its sender may speak for it."""
        source = put.source
        if name is None:
            return self.named(source.company, source.device or "")
        found = self.named(source.company, name)
        own_name = found is not None and found.uuid == source.device
        return found if source.speaks_for_all or own_name else None


class Remembered:
    """The devices that a process found lately, by what they were called."""

    def __init__(self) -> None:
        self._devices: dict[UUID, dict[Name, Known]] = {}
        self._count = 0

    def get(self, company: UUID, name: Name) -> Known | None:
        """Find a device as it was, if it is remembered."""
        return self._devices.get(company, {}).get(name)

    def add(self, company: UUID, name: Name, device: Known) -> None:
        """Remember a device; of too many, all are forgotten at once."""
        if self._count >= MOST:
            self._devices, self._count = {}, 0
        self._devices.setdefault(company, {})[name] = device
        self._count += 1

    def forget(self, company: UUID, name: Name) -> None:
        """Forget a device that has changed."""
        self._devices.get(company, {}).pop(name, None)


_REMEMBERED: Final[weakref.WeakKeyDictionary[Database, Remembered]] = weakref.WeakKeyDictionary()


async def find(db: Db, puts: Sequence[Put], names: Sequence[set[str]]) -> Found:
    """Look up all that a flush must know, in one statement; `names` are those in each put."""
    remembered = _REMEMBERED.setdefault(db.database, Remembered())
    named = dict.fromkeys(_named(puts, names))
    known = {each: device for each in named if (device := remembered.get(*each)) is not None}
    strange = [each for each in named if each not in known]
    # By two names it may be remembered as it was at two times: both are asked about.
    before = {(device.number, device.version): device for device in known.values()}.values()
    rows = await _look(db, puts, strange, before)
    if not _unchanged(before, rows):
        changed = await _changed(db, before)
        for each, device in known.items():
            if device.uuid in changed:
                remembered.forget(*each)
        return await find(db, puts, names)
    found = Found(db.now)
    found.remember(known)
    for what, *row, ends_at in rows:
        found.learn(what, Known(*row), ends_at)
    for company, name in strange:
        if (new := found.named(company, name)) is not None:
            remembered.add(company, name, new)
    return found


def _named(puts: Sequence[Put], names: Sequence[set[str]]) -> Iterator[tuple[UUID, Name]]:
    """List by company whom puts name, and who sent them."""
    for put, some in zip(puts, names, strict=True):
        company, device = put.source.company, put.source.device
        if device is not None:
            yield company, device
        for name in some:
            yield company, name


async def _look(
    db: Db, puts: Sequence[Put], strange: Sequence[tuple[UUID, Name]], known: Iterable[Known]
) -> list[tuple[Any, ...]]:
    """Look devices up, and count those that are known."""
    shown = (put.source.token or put.source.key for put in puts)
    texts = [(company, name) for company, name in strange if isinstance(name, str)]
    uuids = {name for _, name in strange if isinstance(name, UUID)}
    uuids.update(uuid for _, name in texts if (uuid := ids.as_uuid(name)) is not None)
    return await db.tuples(
        _LOOK if strange else _KNOWN,
        uuids=uuids,
        companies=[company for company, _ in texts],
        names=[name for _, name in texts],
        ids=[name for _, name in texts if ids.looks_public(name)],
        credentials={each for each in shown if each is not None},
        scopes=[permissions.EVERYTHING, SCOPE],
        writing=sorted({put.source.company for put in puts}),
        known=[device.uuid for device in known],
    )


def _unchanged(known: Collection[Known], rows: Iterable[tuple[Any, ...]]) -> bool:
    """Tell whether devices are as they were known: all are there, and their versions add up.

    Versions only grow: so where their sum is the same, each of them is.
    """
    versions, count = next((row[3], row[7]) for row in rows if row[0] == "count")
    return count == len(known) and versions == sum(device.version for device in known)


async def _changed(db: Db, known: Iterable[Known]) -> set[UUID]:
    """Find out which devices are not as they were known."""
    rows = await db.tuples(
        _CHANGED,
        known=[device.uuid for device in known],
        versions=[device.version for device in known],
    )
    return {uuid for (uuid,) in rows}


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
        if _takes_in(put, found)
        for name in some
        if adoptable(name) and found.device(put, name) is None
    }


def _takes_in(put: Put, found: Found) -> bool:
    """Tell whether a put's sender may take devices in; or might when somebody answered for it."""
    if not put.source.adopts or not found.lives(put):
        return False
    sender = found.device(put, None)
    return put.source.taken_at is not None or (sender is not None and sender.adopts)
