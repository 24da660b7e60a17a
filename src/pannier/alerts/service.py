"""Opening and closing of alerts.

The caller of `raise_alert` and `close_alerts` holds a lock on the record that the alert is about,
so that two causes of one kind do not race.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier.alerts.kinds import FLAPPING_PERIOD, KINDS
from pannier.alerts.models import AlertCause, AlertKind
from pannier.db import Db
from pannier.events import relay
from pannier.kit import ids

# Streams wait for one channel, so alerts announce themselves as relayed events do.
CHANNEL: Final = relay.CHANNEL
# Notified when drivers or vehicles have new positions. They are not events: live maps read them.
POSITIONS_CHANNEL: Final = "pannier_positions"

# A measured state continues its last alert if that ended within the flapping period. An event never
# does: it would stay acknowledged, if an operator acknowledged the last one at the same moment.
_RAISE: Final = """
    with continued as (
        update alerts set closed_at = null, occurrences = occurrences + 1, details = :details,
            position = nextval('alert_positions'), updated_at = :now, version = version + 1
        where uuid = (
            select uuid from (
                select uuid, closed_at from alerts
                where company = :company and subject_uuid = :subject_uuid and kind = :kind
                order by closed_at desc nulls first limit 1) last
            where :can_flap and closed_at > :now::timestamptz - :flapping::interval)
        returning uuid)
    insert into alerts (uuid, public_id, company, kind, subject, subject_uuid, cause, details,
                        raised_at, created_at, updated_at)
    select :uuid, :public_id, :company, :kind, :subject, :subject_uuid, :cause, :details,
           :now, :now, :now
    where not exists (select from continued)
    on conflict (company, kind, subject_uuid) where closed_at is null do update set
        cause = excluded.cause, details = excluded.details, raised_at = excluded.raised_at,
        occurrences = alerts.occurrences + 1, acknowledged_at = null, acknowledged_by = null,
        position = nextval('alert_positions'), updated_at = excluded.updated_at,
        version = alerts.version + 1
        where alerts.cause <> excluded.cause
    returning uuid, occurrences"""
_CLOSE: Final = """
    update alerts set closed_at = :now, position = nextval('alert_positions'),
        updated_at = :now, version = version + 1
    where company = :company and kind = :kind and subject_uuid = any(:subjects)
      and closed_at is null
    returning uuid"""

_CLOSE_ALL: Final = """
    update alerts set closed_at = :now, position = nextval('alert_positions'),
        updated_at = :now, version = version + 1
    where company = :company and subject_uuid = :subject and kind = any(:kinds)
      and closed_at is null
    returning uuid"""
# A literal kind, so that every plan uses the kind's index.
_CLOSE_UNCHANGED: Final = """
    update alerts set closed_at = :now, updated_at = :now, version = version + 1,
        details = details || :details::jsonb, position = nextval('alert_positions')
    where uuid = any(array(
        select uuid from alerts
        where kind = '{kind}' and closed_at is null
          and updated_at < pannier_now() - :period::interval
        order by updated_at limit :limit for update skip locked))
    returning company"""
_CLOSABLE_KINDS: Final = [
    kind for kind, traits in KINDS.items() if not traits.ends_when_acknowledged
]


async def raise_alert(db: Db, company: UUID, cause: AlertCause) -> None:
    """Open an alert. If one is open already, another cause makes it unread again."""
    rows = await db.fetch_tuples(
        _RAISE,
        uuid=db.new_uuid(),
        public_id=ids.new_public_id("alert"),
        company=company,
        kind=cause.kind,
        subject=cause.subject,
        subject_uuid=cause.subject_uuid,
        cause=cause.id,
        details=cause.details,
        now=db.now,
        can_flap=KINDS[cause.kind].can_flap,
        flapping=FLAPPING_PERIOD,
    )
    for uuid, occurrences in rows:
        if occurrences > 1:
            await _forget_readers(db, company, uuid)
    db.notify(CHANNEL, company)


async def _forget_readers(db: Db, company: UUID, alert: UUID) -> None:
    await db.execute(
        "delete from alert_reads where company = :company and alert = :alert",
        company=company,
        alert=alert,
    )


async def update_details(db: Db, company: UUID, cause: AlertCause) -> None:
    """Update what is known about the cause of an open alert. It stays read."""
    await db.execute(
        """update alerts set cause = :cause, details = :details, updated_at = :now,
               version = version + 1
           where company = :company and kind = :kind and subject_uuid = :subject_uuid
             and closed_at is null""",
        company=company,
        kind=cause.kind,
        subject_uuid=cause.subject_uuid,
        cause=cause.id,
        details=cause.details,
        now=db.now,
    )


async def close_alerts(db: Db, company: UUID, kind: AlertKind, subjects: Sequence[UUID]) -> None:
    """Close the open alerts of a kind about some records."""
    if await db.execute(_CLOSE, company=company, kind=kind, subjects=sorted(subjects), now=db.now):
        db.notify(CHANNEL, company)


async def close_all_alerts(db: Db, company: UUID, subject: UUID) -> None:
    """Close the open alerts about a record that has ended, except calls for help."""
    closed_count = await db.execute(
        _CLOSE_ALL, company=company, subject=subject, kinds=_CLOSABLE_KINDS, now=db.now
    )
    if closed_count:
        db.notify(CHANNEL, company)


async def close_unchanged_alerts(
    db: Db, kind: AlertKind, period: timedelta, details: Mapping[str, str], limit: int
) -> int:
    """Close open alerts that nothing has changed for a period, of all companies.

    Return their number. Only kinds with an index on the time of their change may be closed so.
    """
    rows = await db.fetch_tuples(
        _CLOSE_UNCHANGED.format(kind=kind), period=period, details=details, limit=limit, now=db.now
    )
    for company in {company for (company,) in rows}:
        db.notify(CHANNEL, company)
    return len(rows)
