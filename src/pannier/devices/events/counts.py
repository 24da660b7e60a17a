"""Counts of events by hour or day.

Hourly sums are stored (`hourly_sums.py`). Derived alerts are counted on request, because they may
be withdrawn. Filters that the sums do not cover are counted from the events themselves, up to a
limit.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.devices import event_types
from pannier.devices.events.choice import EventChoice, to_span_arrays
from pannier.devices.events.hourly_sums import ALL_DEVICES, DERIVED
from pannier.devices.events.schemas import CountsMeta, DeviceEventCount, DeviceEventCounts
from pannier.errors import FieldError, Invalid
from pannier.web.times import to_rfc3339

MAX_EXAMINED: Final = 200_000
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

# By unit: the default period and the longest one.
PERIODS: Final = {"hour": (DAY, 31 * DAY), "day": (30 * DAY, 400 * DAY)}


class _Sum(msgspec.Struct):
    hour: datetime
    kind: int
    type: str
    events: int
    examined: int = 0


async def count_events(
    db: Db, selection: EventChoice, unit: Literal["hour", "day"]
) -> DeviceEventCounts:
    """Count events in whole hours or days."""
    zone = (
        (await company_settings.load(db, selection.company)).zone
        if unit == "day"
        else ZoneInfo("UTC")
    )
    since, until = _extend_to_whole_units(selection, unit, zone, db.now)
    limited_selection = msgspec.structs.replace(
        selection.limit_spans(since, until), since=since, until=until
    )
    sums = await (
        _load_sums(db, limited_selection)
        if _can_use_sums(selection)
        else _count_directly(db, limited_selection)
    )
    counts_by_start: defaultdict[datetime, Counter[str]] = defaultdict(Counter)
    for hourly in sums:
        counts_by_start[_find_unit_start(hourly.hour, unit, zone)][
            event_types.type_name(hourly.kind, hourly.type)
        ] += hourly.events
    data = [
        DeviceEventCount(
            to_rfc3339(start), counts_by_start[start].total(), dict(counts_by_start[start])
        )
        for start in _list_unit_starts(since, until, unit, zone)
    ]
    is_complete = sum(hourly.examined for hourly in sums) < MAX_EXAMINED
    return DeviceEventCounts(
        data, CountsMeta(unit, to_rfc3339(since), to_rfc3339(until), is_complete)
    )


def _can_use_sums(selection: EventChoice) -> bool:
    """Return whether the stored sums cover the selection."""
    return selection.spans is None and selection.severities is None and selection.box is None


def _extend_to_whole_units(
    selection: EventChoice, unit: Literal["hour", "day"], zone: ZoneInfo, now: datetime
) -> tuple[datetime, datetime]:
    """Extend the requested period to whole hours or days."""
    default_period, max_period = PERIODS[unit]
    last_moment = (
        selection.until - timedelta(microseconds=1) if selection.until is not None else now
    )
    until = _find_unit_start(
        _find_unit_start(last_moment, unit, zone) + (HOUR if unit == "hour" else 1.5 * DAY),
        unit,
        zone,
    )
    since = _find_unit_start(
        until - default_period if selection.since is None else selection.since, unit, zone
    )
    if until - since > max_period + DAY:
        raise Invalid(
            fields=[FieldError("from", f"must be at most {max_period.days} days before `to`.")]
        )
    return since, max(since, until)


def _find_unit_start(moment: datetime, unit: Literal["hour", "day"], zone: ZoneInfo) -> datetime:
    """Return the start of the hour or day that contains a time."""
    if unit == "hour":
        return moment.replace(minute=0, second=0, microsecond=0)
    local_time = moment.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    return local_time.astimezone(UTC)


def _list_unit_starts(
    since: datetime, until: datetime, unit: Literal["hour", "day"], zone: ZoneInfo
) -> Iterator[datetime]:
    start = since
    while start < until:
        yield start
        # A day has 23 to 25 hours.
        start = start + HOUR if unit == "hour" else _find_unit_start(start + 1.5 * DAY, unit, zone)


async def _load_sums(db: Db, selection: EventChoice) -> list[_Sum]:
    """Read the stored sums, and count derived alerts."""
    type_conditions, derived_conditions = selection.build_type_conditions(), selection.build_where()
    return await db.fetch_all(
        _Sum,
        f"""select hour, kind, type, sum(events)::bigint as events, 0::bigint as examined
            from device_counts where company = :company and device_no = any(:numbers)
              and hour >= :since and hour < :until and {type_conditions}
            group by hour, kind, type
            union all
            select date_trunc('hour', occurred_at), kind, coalesce(type, ''), count(*), 0
            from device_events {derived_conditions} and class = {event_types.RetentionClass.ALERT:d}
              and flags & {DERIVED} <> 0
            group by 1, 2, 3""",
        **{**derived_conditions.values, **type_conditions.values},
        numbers=[ALL_DEVICES] if selection.devices is None else list(selection.devices),
    )


async def _count_directly(db: Db, selection: EventChoice) -> list[_Sum]:
    """Count stored events, with the help of an index where possible."""
    extra_conditions = selection.build_unindexed_conditions(types=False, severities=False)
    indexed_conditions = msgspec.structs.replace(selection, spans=None, box=None).build_where()
    events = f"""select occurred_at, kind, type, latitude, longitude
                 from device_events {indexed_conditions}"""
    spans: Mapping[str, list[Any]] = {}
    if selection.spans is not None:
        # Span by span through the index: comparing each event with all spans takes seconds.
        spans = to_span_arrays(selection.spans)
        events = f"""select e.* from unnest(:span_numbers::bigint[], :span_since::timestamptz[],
                         :span_until::timestamptz[]) s (number, span_since, span_until)
                     cross join lateral ({events} and device_no = number
                         and occurred_at >= span_since
                         and occurred_at < coalesce(span_until, 'infinity')
                         limit :max_examined) e"""
    return await db.fetch_all(
        _Sum,
        f"""select date_trunc('hour', occurred_at) as hour, kind, coalesce(type, '') as type,
                   count(*) filter (where {extra_conditions}) as events, count(*) as examined
            from ({events} limit :max_examined) examined_events
            group by 1, 2, 3""",
        **{
            **indexed_conditions.values,
            **extra_conditions.values,
            **spans,
            "max_examined": MAX_EXAMINED,
        },
    )
