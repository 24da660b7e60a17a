"""Derived events: events about a device that Pannier itself concludes.

The key of a derived event is a hash of its content. Deriving the same event again therefore changes
nothing, and an event that is no longer derived is withdrawn.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Database, Db, retention
from pannier.devices import event_types
from pannier.devices.event_types import DeviceEventType, RetentionClass
from pannier.devices.readings import Flags
from pannier.devices.rules.fixes import Alert
from pannier.devices.store import CHANNEL

_TYPES_BY_NAME: Final = {type_.name: type_ for type_ in (event_types.SPEED, event_types.GEOFENCE)}
PURGE_BATCH_ROWS: Final = 1000
_encode: Final = msgspec.json.Encoder(order="deterministic").encode

_BATCHES: Final = """
    insert into device_batches (company, xid, received_at, earliest, latest, events)
    select company, pg_current_xact_id()::text::bigint, :now, earliest, latest, events
    from unnest(:companies::uuid[], :earliest::timestamptz[], :latest::timestamptz[],
                :events::integer[]) as b (company, earliest, latest, events)
    returning company, batch"""
_STORE: Final = """
    insert into device_events (device_no, occurred_at, event_key, batch, company, latitude,
                               longitude, class, kind, severity, flags, data)
    select * from unnest(:numbers::bigint[], :times::timestamptz[], :keys::bigint[],
        :batches::bigint[], :companies::uuid[], :latitudes::float8[], :longitudes::float8[],
        :classes::smallint[], :kinds::smallint[], :severities::smallint[], :flags::smallint[],
        :data::jsonb[])
    on conflict do nothing"""
_RECORD_DECISIONS: Final = """
    insert into device_alerts (device_no, decided_at, occurred_at, event_key)
    select * from unnest(:numbers::bigint[], :decided::timestamptz[], :times::timestamptz[],
                         :keys::bigint[])
    on conflict do nothing"""
_LOAD_KEYS: Final = """
    select a.device_no, a.occurred_at, a.event_key
    from unnest(:numbers::bigint[], :since::timestamptz[], :until::timestamptz[])
        as w (device_no, since, until)
    join device_alerts a on a.device_no = w.device_no
        and a.decided_at >= w.since and a.decided_at <= w.until"""
_WITHDRAW: Final = """
    with gone as (
        select * from unnest(:numbers::bigint[], :times::timestamptz[], :keys::bigint[])
            as g (device_no, occurred_at, event_key)),
    noted as (
        delete from device_alerts a using gone g
        where a.device_no = g.device_no and a.event_key = g.event_key)
    delete from device_events e using gone g
    where e.device_no = g.device_no and e.occurred_at = g.occurred_at
      and e.event_key = g.event_key and e.class = :class"""

# The identity of an event: device number, time and key.
Key = tuple[int, datetime, int]


class DerivedEvent(msgspec.Struct, kw_only=True):
    """A derived event to be stored."""

    company: UUID
    number: int
    type: DeviceEventType
    at: datetime
    data: dict[str, Any]
    # When the rules became certain. Set only for events that a later run may replace.
    decided_at: datetime | None = None
    latitude: float | None = None
    longitude: float | None = None
    severity: int | None = None

    @property
    def key(self) -> Key:
        """The event's identity: device number, time and a hash of its content."""
        content = _encode([self.type.number, self.at, self.latitude, self.longitude, self.data])
        digest = blake2b(content, digest_size=8, key=self.company.bytes).digest()
        return self.number, self.at, int.from_bytes(digest, signed=True)

    @classmethod
    def from_alert(cls, company: UUID, number: int, alert: Alert) -> "DerivedEvent":
        """Create an event from an alert of a rule."""
        confirmed_at: str = msgspec.to_builtins(alert.decided_at)
        return cls(
            company=company,
            number=number,
            type=_TYPES_BY_NAME[alert.kind],
            at=alert.fix.at,
            data={**alert.data, "confirmed_at": confirmed_at},
            decided_at=alert.decided_at,
            latitude=alert.fix.latitude,
            longitude=alert.fix.longitude,
            severity=event_types.SEVERITIES.index(alert.severity),
        )


class AlertWindow(msgspec.Struct):
    """A period of a device, by decision time, whose alerts are replaced."""

    number: int
    since: datetime
    until: datetime


async def replace_alerts(
    db: Db, windows: Sequence[AlertWindow], alerts: Sequence[DerivedEvent]
) -> None:
    """Store new alerts, and withdraw alerts in the windows that are no longer derived."""
    existing_keys = set(await _load_alert_keys(db, windows)) if windows else set()
    alerts_by_key = {alert.key: alert for alert in alerts}
    await _withdraw_alerts(db, existing_keys - alerts_by_key.keys())
    await store_events(
        db, [alert for key, alert in alerts_by_key.items() if key not in existing_keys]
    )


async def purge_decisions(database: Database, retention_period: timedelta) -> bool:
    """Delete a batch of decisions that are too old to be revised by late positions."""
    async with database.transaction() as db:
        return (
            await retention.purge(
                db, "device_alerts", "decided_at", keep=retention_period, batch=PURGE_BATCH_ROWS
            )
            > 0
        )


async def store_events(db: Db, events: Sequence[DerivedEvent]) -> None:
    """Store events in one batch per company, like the events that devices send."""
    if not events:
        return
    by_company: dict[UUID, list[datetime]] = {}
    for event in events:
        by_company.setdefault(event.company, []).append(event.at)
    rows = await db.fetch_tuples(
        _BATCHES,
        now=db.now,
        companies=list(by_company),
        earliest=[min(times) for times in by_company.values()],
        latest=[max(times) for times in by_company.values()],
        events=[len(times) for times in by_company.values()],
    )
    batches = dict(rows)
    sorted_events = sorted(((event.key, event) for event in events), key=lambda pair: pair[0])
    await db.execute(
        _STORE,
        numbers=[key[0] for key, _ in sorted_events],
        times=[key[1] for key, _ in sorted_events],
        keys=[key[2] for key, _ in sorted_events],
        batches=[batches[event.company] for _, event in sorted_events],
        companies=[event.company for _, event in sorted_events],
        latitudes=[event.latitude for _, event in sorted_events],
        longitudes=[event.longitude for _, event in sorted_events],
        classes=[event.type.class_ for _, event in sorted_events],
        kinds=[event.type.number for _, event in sorted_events],
        severities=[event.severity for _, event in sorted_events],
        flags=[int(Flags.DERIVED)] * len(sorted_events),
        data=[event.data for _, event in sorted_events],
    )
    await _record_decisions(
        db, [(key, event.decided_at) for key, event in sorted_events if event.decided_at]
    )
    for company in batches:
        db.notify(CHANNEL, company)


async def _record_decisions(db: Db, decisions: Sequence[tuple[Key, datetime]]) -> None:
    if decisions:
        await db.execute(
            _RECORD_DECISIONS,
            numbers=[number for (number, _, _), _ in decisions],
            decided=[decided_at for _, decided_at in decisions],
            times=[occurred_at for (_, occurred_at, _), _ in decisions],
            keys=[key for (_, _, key), _ in decisions],
        )


async def _load_alert_keys(db: Db, windows: Sequence[AlertWindow]) -> list[Key]:
    rows = await db.fetch_tuples(
        _LOAD_KEYS,
        numbers=[window.number for window in windows],
        since=[window.since for window in windows],
        until=[window.until for window in windows],
    )
    return [(number, occurred_at, key) for number, occurred_at, key in rows]


async def _withdraw_alerts(db: Db, keys: Iterable[Key]) -> None:
    sorted_keys = sorted(keys)
    if sorted_keys:
        await db.execute(
            _WITHDRAW,
            numbers=[number for number, _, _ in sorted_keys],
            times=[occurred_at for _, occurred_at, _ in sorted_keys],
            keys=[key for _, _, key in sorted_keys],
            **{"class": int(RetentionClass.ALERT)},
        )
