"""Opening, closing, reading and acknowledging of alerts.

The caller of `raise_alert` and `close_alerts` holds a lock on the record that the alert is about,
so that two causes of one kind do not race.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.auth import Caller
from pannier.alerts.kinds import FLAPPING_PERIOD, KINDS, AlertRuleChange
from pannier.alerts.models import AlertCause, AlertKind, AlertRow
from pannier.alerts.queries import (
    ALERTS,
    MAX_CONSIDERED,
    UNREAD,
    Rules,
    list_unlisted_kinds,
    load_rules,
    save_rules,
)
from pannier.alerts.schemas import AlertRulesChange
from pannier.alerts.stream import CHANNEL
from pannier.db import Db
from pannier.kit import ids
from pannier.web.fields import get_sent_fields

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
    db.notify(CHANNEL)


async def _forget_readers(db: Db, company: UUID, alert: UUID) -> None:
    await db.execute(
        "delete from alert_reads where company = :company and alert = :alert",
        company=company,
        alert=alert,
    )


async def update_details(db: Db, company: UUID, cause: AlertCause) -> None:
    """Update what is known about the cause of an open alert. It stays read."""
    await db.execute(
        """update alerts set details = :details, updated_at = :now, version = version + 1
           where company = :company and kind = :kind and subject_uuid = :subject_uuid
             and closed_at is null""",
        company=company,
        kind=cause.kind,
        subject_uuid=cause.subject_uuid,
        details=cause.details,
        now=db.now,
    )


async def close_alerts(db: Db, company: UUID, kind: AlertKind, subjects: Sequence[UUID]) -> None:
    """Close the open alerts of a kind about some records."""
    if await db.execute(_CLOSE, company=company, kind=kind, subjects=sorted(subjects), now=db.now):
        db.notify(CHANNEL)


async def close_all_alerts(db: Db, company: UUID, subject: UUID) -> None:
    """Close the open alerts about a record that has ended, except calls for help."""
    closed_count = await db.execute(
        _CLOSE_ALL, company=company, subject=subject, kinds=_CLOSABLE_KINDS, now=db.now
    )
    if closed_count:
        db.notify(CHANNEL)


async def acknowledge(db: Db, caller: Caller, alert: AlertRow) -> AlertRow:
    """Record that an operator takes care of a locked alert. Nobody's list shows it as unread."""
    if alert.acknowledged_at is not None or alert.closed_at is not None:
        return alert
    ends = KINDS[alert.kind].ends_when_acknowledged
    acknowledged_alert, _ = await ALERTS.change(
        db,
        alert,
        log_action="acknowledged",
        acknowledged_at=db.now,
        acknowledged_by=caller.name,
        closed_at=db.now if ends else None,
    )
    await db.execute(
        """update alerts set position = nextval('alert_positions')
           where company = :company and uuid = :uuid""",
        company=alert.company,
        uuid=alert.uuid,
    )
    db.notify(CHANNEL)
    return acknowledged_alert


async def mark_read(db: Db, caller: Caller, alert: AlertRow) -> None:
    """Mark an alert as read by an operator."""
    await db.execute(
        """insert into alert_reads (operator, alert, company)
           values (:operator, :alert, :company) on conflict do nothing""",
        operator=caller.uuid,
        alert=alert.uuid,
        company=alert.company,
    )


async def mark_all_read(db: Db, caller: Caller, until: datetime) -> None:
    """Mark the alerts in an operator's list as read that were raised up to a time."""
    await db.execute(
        f"""insert into alert_reads (operator, alert, company)
            select :operator, uuid, company from alerts a
            where company = :company and raised_at <= :until and {UNREAD}
            order by raised_at desc limit :limit
            on conflict do nothing""",
        operator=caller.uuid,
        company=caller.company,
        unlisted=await list_unlisted_kinds(db, caller.company, caller.uuid),
        limit=MAX_CONSIDERED,
        until=until,
    )


async def change_rules(db: Db, caller: Caller, data: AlertRulesChange) -> Rules:
    """Change how an operator hears of the given kinds."""
    changes: dict[str, AlertRuleChange] = get_sent_fields(data)
    rules = await load_rules(db, caller.company, caller.uuid)
    for kind, rule in rules.items():
        if kind in changes:
            rules[kind] = msgspec.structs.replace(rule, **get_sent_fields(changes[kind]))
    await save_rules(db, caller.company, caller.uuid, rules)
    return rules
