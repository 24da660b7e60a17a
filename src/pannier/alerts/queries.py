"""Queries for alerts, and for an operator's rules."""

from typing import Final
from uuid import UUID

import msgspec

from pannier.alerts.kinds import DEFAULT_RULE, KINDS, AlertRule
from pannier.alerts.models import AlertKind, AlertRow
from pannier.alerts.schemas import AlertFilters, UnreadOut
from pannier.db import Db, Page, Sort, Table

ALERTS: Final = Table("alerts", AlertRow, prefix="alert", sort=Sort(("raised_at",)))
# A condition on a row `a` of alerts: it is in the list of `:operator`, who has not read it.
UNREAD: Final = """a.closed_at is null and a.acknowledged_at is null
    and a.kind <> all(:unlisted::text[])
    and not exists (select from alert_reads r where r.operator = :operator and r.alert = a.uuid)"""
_UNREAD_ALERTS: Final = UNREAD.replace("a.", "alerts.")
MAX_COUNT: Final = 99
# Every page counts the unread alerts, so only the newest open ones of each kind are looked at.
MAX_CONSIDERED: Final = 1000

Rules = dict[AlertKind, AlertRule]


class _RulesRow(msgspec.Struct):
    rules: Rules


async def list_alerts(
    db: Db, company: UUID, operator: UUID, filters: AlertFilters
) -> Page[AlertRow]:
    """List alerts, newest first."""
    where = ALERTS.where(company).add_equal(subject=filters.subject)
    if filters.open is not None:
        where.add("closed_at is null" if filters.open else "closed_at is not null")
    if filters.unread is not None:
        where.add(
            f"{'' if filters.unread else 'not '}({_UNREAD_ALERTS})",
            operator=operator,
            unlisted=await list_unlisted_kinds(db, company, operator),
        )
    if filters.kind:
        where.add_any_of("kind", filters.kind)
    return await ALERTS.load_page(db, where, filters)


async def count_unread(db: Db, company: UUID, operator: UUID) -> UnreadOut:
    """Count the unread alerts in an operator's list, up to `MAX_COUNT`."""
    rules = await load_rules(db, company, operator)
    unlisted = _list_unlisted_kinds(rules)
    count: int = await db.fetch_value(
        f"""select count(*) from (
                select from unnest(:listed::text[]) listed (kind), lateral (
                    select uuid, kind, closed_at, acknowledged_at from alerts
                    where company = :company and kind = listed.kind and closed_at is null
                      and acknowledged_at is null
                    order by raised_at desc, uuid desc limit {MAX_CONSIDERED}) a
                where {UNREAD} limit {MAX_COUNT + 1}) unread""",
        company=company,
        operator=operator,
        listed=[kind for kind in rules if kind not in unlisted],
        unlisted=unlisted,
    )
    is_announced = any(rule.is_announced for rule in rules.values())
    return UnreadOut(min(count, MAX_COUNT), count > MAX_COUNT, is_announced)


async def load_rules(db: Db, company: UUID, operator: UUID) -> Rules:
    """Load how an operator hears of each kind."""
    row = await db.find(
        _RulesRow,
        "select rules from alert_rules where company = :company and operator = :operator",
        company=company,
        operator=operator,
    )
    own_rules = {} if row is None else row.rules
    return {kind: own_rules.get(kind, DEFAULT_RULE) for kind in KINDS}


async def save_rules(db: Db, company: UUID, operator: UUID, rules: Rules) -> None:
    """Save how an operator hears of each kind."""
    await db.execute(
        """insert into alert_rules (operator, company, rules)
           values (:operator, :company, :rules)
           on conflict (operator) do update set rules = excluded.rules""",
        operator=operator,
        company=company,
        rules=msgspec.to_builtins(rules),
    )


async def list_unlisted_kinds(db: Db, company: UUID, operator: UUID) -> list[str]:
    """List the kinds that an operator does not want in the list."""
    return _list_unlisted_kinds(await load_rules(db, company, operator))


def _list_unlisted_kinds(rules: Rules) -> list[str]:
    return [kind for kind, rule in rules.items() if not rule.list]
