"""Reading and acknowledging of alerts by operators, and how they hear of them."""

from datetime import datetime
from typing import Final

import msgspec

from pannier.accounts.auth import Caller
from pannier.alerts.kinds import KINDS, AlertRuleChange
from pannier.alerts.models import AlertRow
from pannier.alerts.queries import (
    ALERTS,
    UNREAD,
    Rules,
    list_unlisted_kinds,
    load_rules,
    save_rules,
)
from pannier.alerts.schemas import AlertRulesChange
from pannier.alerts.service import CHANNEL
from pannier.db import Db
from pannier.web.fields import get_sent_fields

# More than that many open alerts are read by further requests.
MAX_READ: Final = 10_000


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
    db.notify(CHANNEL, alert.company)
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
        limit=MAX_READ,
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
