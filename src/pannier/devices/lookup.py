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
from pannier.devices.outcomes import Submission
from pannier.devices.registry.adoption import CompanyDeviceName, is_adoptable
from pannier.devices.sources import SCOPE
from pannier.kit import ids
from pannier.kit.cache import Cache

# A device's public id, identifier or UUID as text, or its UUID.
DeviceReference = str | UUID
MAX_DEVICES: Final = 50_000  # device names cached by a process


class KnownDevice(msgspec.Struct, gc=False):
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
Roster = Mapping[DeviceReference, KnownDevice]
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
_DEVICE_COLUMNS: Final = """d.company, d.uuid, d.number, d.public_id, d.identifier, d.driver,
        d.reporting_interval, d.adopts"""
_PHONE_DRIVER: Final = """left join lateral (
        select deleted_at from drivers where uuid = d.driver limit 1) p on true"""
_CREDENTIAL: Final = """select 'credential', company, uuid, 0, '', null, 0, false,
        least(revoked_at, {})
    from {} where (company = any(:writing)) is true and uuid = any(:credentials){}"""
_UNCACHED_DEVICES: Final = f"""
    with d as materialized (
        select {_DEVICE_COLUMNS}
        from unnest(:uuids::uuid[]) n (name) {_BY_ID.format("uuid = n.name")}
        union all
        select {_DEVICE_COLUMNS}
        from unnest(:ids::text[]) n (name) {_BY_ID.format("public_id = n.name")}
        union all
        select {_DEVICE_COLUMNS} from unnest(:companies::uuid[], :names::text[]) n (company, name)
        {_BY_NAME})
    select 'device' as row_kind, d.company, d.uuid, d.number, d.public_id, d.identifier,
        d.reporting_interval, d.adopts, null::timestamptz as ends_at
    from d {_PHONE_DRIVER} where p.deleted_at is null
    union all """
_CREDENTIALS_AND_CHANGES: Final = f"""
    {_CREDENTIAL.format("ends_at", "tokens", "")}
    union all {_CREDENTIAL.format("expires_at", "keys", " and scopes && :scopes")}
    union all select 'changes', company, company, count, '', null, 0, false, null
    from device_changes where company = any(:writing)
    union all select 'batch', company, company, nextval('device_batches_batch_seq'), '', null, 0,
        false, null
    from unnest(:writing::uuid[]) b (company)"""
_LOOKUP: Final = _UNCACHED_DEVICES + _CREDENTIALS_AND_CHANGES


class LookupResult:
    """The devices, credentials and batch numbers of one flush."""

    def __init__(self, now: datetime, rosters: Mapping[UUID, Roster]) -> None:
        self._now = now
        # Cached devices that are still current.
        self._rosters = rosters
        self._devices: dict[UUID, dict[DeviceReference, KnownDevice]] = {}
        # Credentials, and when each one ends.
        self._ends: dict[UUID, datetime | None] = {}
        self.batches = dict[UUID, int]()

    def add_row(self, kind: str, row: KnownDevice, ends_at: datetime | None) -> None:
        if kind == "device":
            self.add_device(row)
        elif kind == "batch":
            self.batches[row.company] = row.number
        elif kind == "credential":
            self._ends[row.uuid] = ends_at

    def add_device(self, device: KnownDevice) -> None:
        """Add a device. A public id wins over another device's identifier."""
        company_devices = self._devices.setdefault(device.company, {})
        if device.identifier is not None:
            company_devices.setdefault(device.identifier, device)
        company_devices[device.public_id] = device
        company_devices[device.uuid] = device

    def has_valid_credential(self, submission: Submission) -> bool:
        """Return whether a submission's credential is valid, or was when it was accepted."""
        source = submission.source
        credential = source.token or source.key
        # Deleting a device ends its token.
        is_registered = (
            source.device is None or self.find(source.company, source.device) is not None
        )
        return is_registered and (
            credential is None or self._was_valid(credential, source.taken_at or self._now)
        )

    def _was_valid(self, credential: UUID, moment: datetime) -> bool:
        if credential not in self._ends:
            return False
        end = self._ends[credential]
        return end is None or moment < end

    def find(self, company: UUID, name: DeviceReference) -> KnownDevice | None:
        """Return a company's device by name. A UUID never matches an identifier."""
        if (device := self._rosters[company].get(name)) is not None:
            return device
        company_devices = self._devices.get(company, {})
        uuid = ids.parse_uuid(name) if isinstance(name, str) else None
        return (company_devices.get(uuid) if uuid is not None else None) or company_devices.get(
            name
        )

    def find_devices(
        self, company: UUID, names: Iterable[DeviceReference]
    ) -> dict[DeviceReference, KnownDevice]:
        """Return a company's known devices by name."""
        return {name: device for name in names if (device := self.find(company, name)) is not None}

    def match_devices(
        self, submission: Submission, names: Iterable[str]
    ) -> dict[str | None, KnownDevice | None]:
        """Return all devices that a submission names. Devices in the roster are found faster."""
        source = submission.source
        roster = self._rosters[source.company] if source.speaks_for_all else {}
        return {
            None: self.match_device(submission, None),
            **{name: roster.get(name) or self.match_device(submission, name) for name in names},
        }

    def match_device(self, submission: Submission, name: str | None) -> KnownDevice | None:
        """Return a device by the name in a submission, if the sender may report for it."""
        source = submission.source
        if name is None:
            return self.find(source.company, source.device or "")
        device = self.find(source.company, name)
        is_sender = device is not None and device.uuid == source.device
        return device if source.speaks_for_all or is_sender else None


_ROSTERS: Final = Cache[UUID, Roster](MAX_DEVICES, len)


async def load(
    db: Db, submissions: Sequence[Submission], names: Sequence[set[str]], *, remember: bool = True
) -> LookupResult:
    """Look up the devices and credentials of a flush in one statement.

    `names` has the device names in each submission.

    Pass `remember=False` after a write in this transaction: it may be rolled back and must not be
    cached.
    """
    names_by_company = _group_names(submissions, names)
    cached_rosters = {company: _ROSTERS.peek(company) for company in names_by_company}
    rosters = {
        company: {} if entry is None else entry.value for company, entry in cached_rosters.items()
    }
    uncached_references = {
        company: company_names.difference(rosters[company])
        for company, company_names in names_by_company.items()
    }
    rows = await _look_up_references(db, submissions, uncached_references)
    changes = dict.fromkeys(names_by_company, 0)
    changes.update({row[1]: row[3] for row in rows if row[0] == "changes"})
    outdated_companies = [
        company
        for company, entry in cached_rosters.items()
        if entry and entry.version != changes[company]
    ]
    if outdated_companies:
        for company in outdated_companies:
            _ROSTERS.drop(company)
        return await load(db, submissions, names, remember=remember)
    result = LookupResult(db.now, rosters)
    for kind, *row, ends_at in rows:
        result.add_row(kind, KnownDevice(*row), ends_at)
    if remember:
        for company, company_names in uncached_references.items():
            _cache_devices(company, result.find_devices(company, company_names), changes[company])
    return result


def _cache_devices(company: UUID, devices: Roster, changes: int) -> None:
    """Add devices to the cached roster, or start a new one if it would grow too large."""
    if devices:
        cached_devices = _ROSTERS.find(company, changes) or {}
        has_room = len(cached_devices) + len(devices) <= MAX_DEVICES
        _ROSTERS.store(company, {**cached_devices, **devices} if has_room else devices, changes)


def _group_names(
    submissions: Sequence[Submission], names: Sequence[set[str]]
) -> dict[UUID, set[DeviceReference]]:
    """Collect the device names in submissions and of their senders, by company."""
    names_by_company: dict[UUID, set[DeviceReference]] = {}
    for submission, sent_names in zip(submissions, names, strict=True):
        company_names = names_by_company.setdefault(submission.source.company, set())
        company_names.update(sent_names)
        if submission.source.device is not None:
            company_names.add(submission.source.device)
    return names_by_company


async def _look_up_references(
    db: Db, submissions: Sequence[Submission], uncached_references: dict[UUID, set[DeviceReference]]
) -> list[tuple[Any, ...]]:
    """Look up devices, credentials and the change counters of companies."""
    credentials = (submission.source.token or submission.source.key for submission in submissions)
    references = [
        (company, name)
        for company, company_names in uncached_references.items()
        for name in company_names
    ]
    text_references = [(company, name) for company, name in references if isinstance(name, str)]
    uuids = {name for _, name in references if isinstance(name, UUID)}
    uuids.update(uuid for _, name in text_references if (uuid := ids.parse_uuid(name)) is not None)
    return await db.fetch_tuples(
        _LOOKUP if references else _CREDENTIALS_AND_CHANGES,
        uuids=uuids,
        companies=[company for company, _ in text_references],
        names=[name for _, name in text_references],
        ids=[name for _, name in text_references if ids.is_public_id(name)],
        credentials={credential for credential in credentials if credential is not None},
        scopes=[permissions.ALL_SCOPES, SCOPE],
        writing=sorted(uncached_references),
    )


def list_adoptable_devices(
    submissions: Sequence[Submission], names: Sequence[set[str]], result: LookupResult
) -> dict[CompanyDeviceName, str | None]:
    """Return the unknown devices that a gateway may adopt, with display names where reported."""
    display_names = {
        (submission.source.company, reading.device): reading.display_name
        for submission in submissions
        if submission.source.adopts
        for reading in submission.readings
        if reading.display_name
    }
    return {
        (submission.source.company, name): display_names.get((submission.source.company, name))
        for submission, sent_names in zip(submissions, names, strict=True)
        if _can_adopt(submission, result)
        for name in sent_names
        if result.match_device(submission, name) is None and is_adoptable(name)
    }


def _can_adopt(submission: Submission, result: LookupResult) -> bool:
    """Return whether a sender may adopt devices, or could when its submission was accepted."""
    if not submission.source.adopts or not result.has_valid_credential(submission):
        return False
    sender = result.match_device(submission, None)
    return submission.source.taken_at is not None or (sender is not None and sender.adopts)
