"""Lookup of the devices and credentials of submissions.

A process caches the devices that it has found. The database then only reports how often a company's
devices have changed, which is the version of its cached roster.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts import permissions
from pannier.db import Db
from pannier.devices.outcomes import Put
from pannier.devices.registry.adoption import Named, adoptable
from pannier.devices.sources import SCOPE
from pannier.kit import ids
from pannier.kit.cache import Cache

# A device's public id, identifier or UUID as text, or its UUID.
Name = str | UUID
MAX_DEVICES: Final = 50_000  # device names cached by a process


class Known(msgspec.Struct, gc=False):
    """A device that reports.

    The fields are in the order of the selected columns, because thousands are built from rows.
    """

    company: UUID
    uuid: UUID
    number: int
    public_id: str
    identifier: str | None = None
    reporting_interval: int = 0
    adopts: bool = False


# Devices of one company by name.
Roster = Mapping[Name, Known]
# Each lookup must use its own index, whatever the planner estimates. `limit 1` and `offset 0` keep
# the planner from joining by company or by `deleted_at`. The first column says what a row is: a
# `device`, a `credential`, the number of `changes`, or a new `batch`. A phone whose driver was
# deleted is ignored.
_COLUMNS: Final = "company, uuid, number, public_id, identifier, driver, reporting_interval, adopts"
_BY_ID: Final = f"""join lateral (
    select {_COLUMNS}, deleted_at from devices where {{}} limit 1) d
    on d.company = any(:writing) and d.deleted_at is null"""
_BY_NAME: Final = f"""join lateral (
    select {_COLUMNS}, deleted_at from devices
    where identifier = n.name and company = n.company offset 0) d on d.deleted_at is null"""
_FOUND: Final = """d.company, d.uuid, d.number, d.public_id, d.identifier, d.driver,
        d.reporting_interval, d.adopts"""
_DRIVEN: Final = """left join lateral (
        select deleted_at from drivers where uuid = d.driver limit 1) p on true"""
_CREDENTIAL: Final = """select 'credential', company, uuid, 0, '', null, 0, false,
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
        d.reporting_interval, d.adopts, null::timestamptz as ends_at
    from d {_DRIVEN} where p.deleted_at is null
    union all """
_KNOWN: Final = f"""
    {_CREDENTIAL.format("ends_at", "tokens", "")}
    union all {_CREDENTIAL.format("expires_at", "keys", " and scopes && :scopes")}
    union all select 'changes', company, company, count, '', null, 0, false, null
    from device_changes where company = any(:writing)
    union all select 'batch', company, company, nextval('device_batches_batch_seq'), '', null, 0,
        false, null
    from unnest(:writing::uuid[]) b (company)"""
_LOOK: Final = _STRANGE + _KNOWN


class Found:
    """The devices, credentials and batch numbers of one flush."""

    def __init__(self, now: datetime, rosters: Mapping[UUID, Roster]) -> None:
        self._now = now
        # Cached devices that are still current.
        self._rosters = rosters
        self._devices: dict[UUID, dict[Name, Known]] = {}
        # Credentials, and when each one ends.
        self._ends: dict[UUID, datetime | None] = {}
        self.batches = dict[UUID, int]()

    def learn(self, what: str, row: Known, ends_at: datetime | None) -> None:
        if what == "device":
            self.add(row)
        elif what == "batch":
            self.batches[row.company] = row.number
        elif what == "credential":
            self._ends[row.uuid] = ends_at

    def add(self, device: Known) -> None:
        """Add a device. A public id wins over another device's identifier."""
        known = self._devices.setdefault(device.company, {})
        if device.identifier is not None:
            known.setdefault(device.identifier, device)
        known[device.public_id] = device
        known[device.uuid] = device

    def lives(self, put: Put) -> bool:
        """Return whether a submission's credential is valid, or was when it was accepted."""
        source = put.source
        shown = source.token or source.key
        # Deleting a device ends its token.
        known = source.device is None or self.named(source.company, source.device) is not None
        return known and (shown is None or self._good(shown, source.taken_at or self._now))

    def _good(self, credential: UUID, moment: datetime) -> bool:
        if credential not in self._ends:
            return False
        end = self._ends[credential]
        return end is None or moment < end

    def named(self, company: UUID, name: Name) -> Known | None:
        """Return a company's device by name. A UUID never matches an identifier."""
        if (device := self._rosters[company].get(name)) is not None:
            return device
        known = self._devices.get(company, {})
        uuid = ids.as_uuid(name) if isinstance(name, str) else None
        return (known.get(uuid) if uuid is not None else None) or known.get(name)

    def by_name(self, company: UUID, names: Iterable[Name]) -> dict[Name, Known]:
        """Return a company's devices by name, without those that are unknown."""
        return {name: device for name in names if (device := self.named(company, name)) is not None}

    def devices(self, put: Put, names: Iterable[str]) -> dict[str | None, Known | None]:
        """Return all devices that a submission names. Cached ones need no call each."""
        source = put.source
        known = self._rosters[source.company] if source.speaks_for_all else {}
        return {
            None: self.device(put, None),
            **{name: known.get(name) or self.device(put, name) for name in names},
        }

    def device(self, put: Put, name: str | None) -> Known | None:
        """Return a device by the name in a submission, if the sender may report for it."""
        source = put.source
        if name is None:
            return self.named(source.company, source.device or "")
        found = self.named(source.company, name)
        own_name = found is not None and found.uuid == source.device
        return found if source.speaks_for_all or own_name else None


_ROSTERS: Final = Cache[UUID, Roster](MAX_DEVICES, len)


async def find(
    db: Db, puts: Sequence[Put], names: Sequence[set[str]], *, remember: bool = True
) -> Found:
    """Look up the devices and credentials of a flush in one statement.

    `names` has the device names in each submission.

    Pass `remember=False` after a write in this transaction: it may be rolled back and must not be
    cached.
    """
    wanted = _by_company(puts, names)
    cached = {company: _ROSTERS.peek(company) for company in wanted}
    rosters = {company: {} if entry is None else entry.value for company, entry in cached.items()}
    strange = {company: some.difference(rosters[company]) for company, some in wanted.items()}
    rows = await _look(db, puts, strange)
    changes = dict.fromkeys(wanted, 0)
    changes.update({row[1]: row[3] for row in rows if row[0] == "changes"})
    outdated = [each for each, entry in cached.items() if entry and entry.version != changes[each]]
    if outdated:
        for company in outdated:
            _ROSTERS.drop(company)
        return await find(db, puts, names, remember=remember)
    found = Found(db.now, rosters)
    for what, *row, ends_at in rows:
        found.learn(what, Known(*row), ends_at)
    if remember:
        for company, some in strange.items():
            _remember(company, found.by_name(company, some), changes[company])
    return found


def _remember(company: UUID, devices: Roster, changes: int) -> None:
    """Add devices to the cached roster, or start a new one if it would grow too large."""
    if devices:
        known = _ROSTERS.find(company, changes) or {}
        room = len(known) + len(devices) <= MAX_DEVICES
        _ROSTERS.store(company, {**known, **devices} if room else devices, changes)


def _by_company(puts: Sequence[Put], names: Sequence[set[str]]) -> dict[UUID, set[Name]]:
    """Collect the device names in submissions and of their senders, by company."""
    wanted: dict[UUID, set[Name]] = {}
    for put, some in zip(puts, names, strict=True):
        known = wanted.setdefault(put.source.company, set())
        known.update(some)
        if put.source.device is not None:
            known.add(put.source.device)
    return wanted


async def _look(
    db: Db, puts: Sequence[Put], strange: dict[UUID, set[Name]]
) -> list[tuple[Any, ...]]:
    """Look up devices, credentials and the change counters of companies."""
    shown = (put.source.token or put.source.key for put in puts)
    asked = [(company, name) for company, some in strange.items() for name in some]
    texts = [(company, name) for company, name in asked if isinstance(name, str)]
    uuids = {name for _, name in asked if isinstance(name, UUID)}
    uuids.update(uuid for _, name in texts if (uuid := ids.as_uuid(name)) is not None)
    return await db.tuples(
        _LOOK if asked else _KNOWN,
        uuids=uuids,
        companies=[company for company, _ in texts],
        names=[name for _, name in texts],
        ids=[name for _, name in texts if ids.looks_public(name)],
        credentials={each for each in shown if each is not None},
        scopes=[permissions.EVERYTHING, SCOPE],
        writing=sorted(strange),
    )


def strangers(
    puts: Sequence[Put], names: Sequence[set[str]], found: Found
) -> dict[Named, str | None]:
    """Return the unknown devices that a gateway may adopt, with their display names if given."""
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
        if found.device(put, name) is None and adoptable(name)
    }


def _takes_in(put: Put, found: Found) -> bool:
    """Return whether a sender may adopt devices, or might have when we accepted its submission."""
    if not put.source.adopts or not found.lives(put):
        return False
    sender = found.device(put, None)
    return put.source.taken_at is not None or (sender is not None and sender.adopts)
