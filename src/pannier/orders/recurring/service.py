"""Creation, changes and days of recurring orders."""

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import islice
from typing import Final
from uuid import UUID
from zoneinfo import ZoneInfo

from pannier.db import Db, Page, Sort, Table, columns
from pannier.db.paging import load_page
from pannier.errors import Conflict, FieldError, Invalid, parse_field
from pannier.orders.recurring import days, rules
from pannier.orders.recurring.models import RecurringDay, RecurringOrder
from pannier.orders.recurring.rules import DateRule
from pannier.orders.recurring.schemas import (
    RecurringDayFilters,
    RecurringOrderChange,
    RecurringOrderFilters,
    RecurringOrderIn,
    RecurringOrderOut,
    RuleDatesOut,
    RulePreviewIn,
)
from pannier.orders.templates import service as templates
from pannier.orders.templates.models import OrderTemplate
from pannier.orders.templates.schemas import OrderTemplateIn
from pannier.orders.templates.service import TEMPLATES
from pannier.web.fields import get_sent_fields

RECURRING_ORDERS: Final = Table(
    "recurring_orders", RecurringOrder, sort=Sort(("created_at", "name")), search=("name",)
)
DAY_SORT: Final = Sort(("day",))
MAX_SHOWN_DAYS: Final = 10
# How far a start may lie in the past or future, and a skipped day in the future.
MAX_PAST_START: Final = timedelta(days=366)
MAX_FUTURE: Final = timedelta(days=2 * 366)
ONE_SOURCE: Final = "Send a `template` or an `order`, and not both."


class RecurringOrderEnded(Conflict):
    """An ended recurring order stays as it is."""

    code = "recurring_order_ended"
    title = "This recurring order has ended."
    remedy = "Create a new one."


class DayDecided(Conflict):
    """A day has one order, which is not created twice."""

    code = "recurring_day_decided"
    title = "This day already has an order."
    remedy = "Change or cancel that order."


class DayPassed(Conflict):
    """Orders are created for today and for later days."""

    code = "recurring_day_passed"
    title = "This day has passed."
    remedy = "Create the order from its template."


class NotARecurringDay(Conflict):
    """Only a day that the rule matches can be skipped, up to two years ahead."""

    code = "not_a_recurring_day"
    title = "The rule does not match this day."
    remedy = "Choose one of the next days."


async def list_recurring_orders(
    db: Db, company: UUID, filters: RecurringOrderFilters
) -> Page[RecurringOrder]:
    """List recurring orders."""
    where = RECURRING_ORDERS.where(company)
    return await RECURRING_ORDERS.load_page(db, where, filters, query=filters.query)


async def load_outs(
    db: Db, company: UUID, rows: Sequence[RecurringOrder]
) -> list[RecurringOrderOut]:
    """Convert recurring orders, with the ids of their templates."""
    uuids = {row.template for row in rows if row.template is not None}
    found = await TEMPLATES.load_many(db, company, list(uuids))
    return [
        RecurringOrderOut.from_row(
            row, found[row.template].public_id if row.template in found else None
        )
        for row in rows
    ]


async def create_recurring_order(db: Db, company: UUID, data: RecurringOrderIn) -> RecurringOrder:
    """Begin a recurring order."""
    if (data.template is None) == (data.order is None):
        raise Invalid(fields=[FieldError("template", ONE_SOURCE)])
    zone = await days.load_zone(db, company)
    today = days.get_today(db, zone)
    starts_on = data.starts_on or today
    rule = _parse_rule(data.rule, starts_on, today)
    if data.order is not None:
        template_in = OrderTemplateIn(name=data.name, order=data.order)
        template = await templates.create_template(db, company, template_in)
    else:
        template = await _lock_template(db, company, data.template or "")
    row = RECURRING_ORDERS.draft(
        db,
        company,
        name=templates.parse_name(data.name),
        template=template.uuid,
        rule=rules.format_rule(rule),
        starts_on=starts_on,
        lead_days=data.lead_days,
    )
    next_columns = await days.find_next(db, row, zone, today)
    for name, value in next_columns.items():
        setattr(row, name, value)
    return await RECURRING_ORDERS.insert(db, row)


async def change_recurring_order(
    db: Db, row: RecurringOrder, data: RecurringOrderChange
) -> RecurringOrder:
    """Change a locked recurring order. Days that already have an order keep it."""
    _check_not_ended(row)
    zone = await days.load_zone(db, row.company)
    today = days.get_today(db, zone)
    values = get_sent_fields(data)
    if "name" in values:
        values["name"] = templates.parse_name(values["name"])
    if "template" in values:
        values["template"] = (await _lock_template(db, row.company, values["template"])).uuid
    if values.keys() & {"rule", "starts_on"}:
        starts_on = values.get("starts_on", row.starts_on)
        rule = _parse_rule(values.get("rule", row.rule), starts_on, today)
        values["rule"] = rules.format_rule(rule)
    if not values.keys() & {"rule", "starts_on", "lead_days"}:
        return (await RECURRING_ORDERS.change(db, row, **values))[0]
    # The worker would skip them after the change.
    await days.record_missed_days(db, row, today)
    changed_row, _ = await RECURRING_ORDERS.change(db, row, **values)
    return await _schedule_next(db, changed_row, zone, today)


async def pause(db: Db, row: RecurringOrder) -> RecurringOrder:
    """Pause a recurring order. No orders are created until it is resumed."""
    _check_not_ended(row)
    if row.paused_at is not None:
        return row
    await _record_missed_days(db, row)
    paused_row, _ = await RECURRING_ORDERS.change(
        db, row, log_action="paused", paused_at=db.now, next_day=None, due_at=None
    )
    return paused_row


async def resume(db: Db, row: RecurringOrder) -> RecurringOrder:
    """Resume a recurring order from today on. The days of the pause get no orders."""
    _check_not_ended(row)
    if row.paused_at is None:
        return row
    resumed_row, _ = await RECURRING_ORDERS.change(db, row, log_action="resumed", paused_at=None)
    zone = await days.load_zone(db, row.company)
    return await _schedule_next(db, resumed_row, zone, days.get_today(db, zone))


async def end(db: Db, row: RecurringOrder) -> RecurringOrder:
    """End a recurring order. Its orders stay."""
    if row.ended_at is not None:
        return row
    await _record_missed_days(db, row)
    ended_row, _ = await RECURRING_ORDERS.change(
        db, row, log_action="ended", ended_at=db.now, paused_at=None, next_day=None, due_at=None
    )
    return ended_row


async def skip_day(db: Db, row: RecurringOrder, day: date) -> RecurringOrder:
    """Skip a day without an order, or one whose order was refused."""
    _check_not_ended(row)
    zone = await days.load_zone(db, row.company)
    today = days.get_today(db, zone)
    recorded_day = await days.find_day(db, row, day)
    if recorded_day is not None and recorded_day.state == "created":
        raise DayDecided
    if recorded_day is not None:
        await db.update("recurring_days", recorded_day.uuid, state="skipped", reason=None)
    else:
        _check_matches(row, day, today)
        await days.record_day(db, row, day, "skipped")
    if row.next_day == day:
        return await _schedule_next(db, row, zone, today)
    return await RECURRING_ORDERS.touch(db, row)


async def create_order(db: Db, row: RecurringOrder, day: date) -> RecurringOrder:
    """Create the order of a day now: a refused, missed or skipped one, or one that is to come."""
    _check_not_ended(row)
    zone = await days.load_zone(db, row.company)
    today = days.get_today(db, zone)
    if day < today:
        raise DayPassed
    recorded_day = await days.find_day(db, row, day)
    if recorded_day is not None and recorded_day.state == "created":
        raise DayDecided
    if recorded_day is None:
        _check_matches(row, day, today)
    order_id = await days.create_order(db, row, day, zone)
    if recorded_day is None:
        await days.record_day(db, row, day, "created", order_id=order_id)
    else:
        await db.update(
            "recurring_days", recorded_day.uuid, state="created", order_id=order_id, reason=None
        )
    if row.next_day == day:
        return await _schedule_next(db, row, zone, today)
    return await RECURRING_ORDERS.touch(db, row)


async def preview_rule(db: Db, company: UUID, data: RulePreviewIn) -> RuleDatesOut:
    """Return a rule in words, and its next days."""
    today = days.get_today(db, await days.load_zone(db, company))
    starts_on = data.starts_on or today
    rule = _parse_rule(data.rule, starts_on, today)
    return _to_dates(rule, rules.list_days(rule, starts_on, today, MAX_SHOWN_DAYS))


async def list_next_days(db: Db, row: RecurringOrder) -> RuleDatesOut:
    """Return a recurring order's rule, and its next days without an order."""
    rule = rules.parse_rule(row.rule)
    if row.status != "active":
        return _to_dates(rule, [])
    today = days.get_today(db, await days.load_zone(db, row.company))
    recorded_days = await days.list_recorded_days(db, row, today)
    next_days = (
        day for day in rules.iterate_days(rule, row.starts_on, today) if day not in recorded_days
    )
    return _to_dates(rule, list(islice(next_days, MAX_SHOWN_DAYS)))


async def list_days(
    db: Db, row: RecurringOrder, filters: RecurringDayFilters
) -> Page[RecurringDay]:
    """List what happened to the days of a recurring order, the last one first."""
    where = RECURRING_ORDERS.where(row.company).add_equal(recurring_order=row.uuid)
    select = f"select {columns(RecurringDay)} from recurring_days"
    return await load_page(db, RecurringDay, select, where, filters, DAY_SORT)


def _to_dates(rule: DateRule, next_days: list[date]) -> RuleDatesOut:
    return RuleDatesOut(
        rule=rules.format_rule(rule), description=rules.describe_rule(rule), days=next_days
    )


def _parse_rule(text: str, starts_on: date, today: date) -> DateRule:
    """Parse a rule that has a day from today on."""
    if not today - MAX_PAST_START <= starts_on <= today + MAX_FUTURE:
        sentence = "must be within the last year or the next two years."
        raise Invalid(fields=[FieldError("starts_on", sentence)])
    rule = parse_field("rule", rules.parse_rule, text)
    if not rules.list_days(rule, starts_on, today, 1):
        raise Invalid(fields=[FieldError("rule", "has no days from today on.")])
    return rule


def _check_not_ended(row: RecurringOrder) -> None:
    if row.ended_at is not None:
        raise RecurringOrderEnded


def _check_matches(row: RecurringOrder, day: date, today: date) -> None:
    """Refuse a day in the past or far in the future, or one that the rule does not match."""
    rule = rules.parse_rule(row.rule)
    if not today <= day <= today + MAX_FUTURE:
        raise NotARecurringDay
    if rules.list_days(rule, row.starts_on, day, 1) != [day]:
        raise NotARecurringDay


async def _record_missed_days(db: Db, row: RecurringOrder) -> None:
    zone = await days.load_zone(db, row.company)
    await days.record_missed_days(db, row, days.get_today(db, zone))


async def _lock_template(db: Db, company: UUID, identifier: str) -> OrderTemplate:
    """Lock a template, so that nobody deletes it before it is used."""
    return await TEMPLATES.resolve_reference(db, company, "template", identifier, lock=True)


async def _schedule_next(
    db: Db, row: RecurringOrder, zone: ZoneInfo, earliest: date
) -> RecurringOrder:
    """Write the next day without a record, unless the recurring order is paused."""
    if row.paused_at is not None:
        return row
    next_columns = await days.find_next(db, row, zone, earliest)
    scheduled_row, _ = await RECURRING_ORDERS.change(db, row, **next_columns)
    return scheduled_row
