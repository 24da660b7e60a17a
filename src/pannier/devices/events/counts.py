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
from pannier.devices import kinds
from pannier.devices.events.choice import Choice, columns_of
from pannier.devices.events.schemas import CountsMeta, DeviceEventCount, DeviceEventCounts
from pannier.devices.events.tally import ALL, DERIVED
from pannier.errors import Field, Invalid
from pannier.web.times import stamp

LOOKS: Final = 200_000
HOUR, DAY = timedelta(hours=1), timedelta(days=1)

# By unit: the default period and the longest one.
SHOWN: Final = {"hour": (DAY, 31 * DAY), "day": (30 * DAY, 400 * DAY)}


class _Sum(msgspec.Struct):
    hour: datetime
    kind: int
    type: str
    events: int
    looked: int = 0


async def counted(db: Db, choice: Choice, by: Literal["hour", "day"]) -> DeviceEventCounts:
    """Count events in whole hours or days."""
    zone = (await company_settings.of(db, choice.company)).zone if by == "day" else ZoneInfo("UTC")
    since, until = _bounds(choice, by, zone, db.now)
    meant = msgspec.structs.replace(choice.between(since, until), since=since, until=until)
    sums = await (_summed(db, meant) if _by_sums(choice) else _directly(db, meant))
    found: defaultdict[datetime, Counter[str]] = defaultdict(Counter)
    for each in sums:
        found[_begin(each.hour, by, zone)][kinds.shown(each.kind, each.type)] += each.events
    data = [
        DeviceEventCount(stamp(start), found[start].total(), dict(found[start]))
        for start in _starts(since, until, by, zone)
    ]
    complete = sum(each.looked for each in sums) < LOOKS
    return DeviceEventCounts(data, CountsMeta(by, stamp(since), stamp(until), complete))


def _by_sums(choice: Choice) -> bool:
    """Return whether the stored sums cover the selection."""
    return choice.spans is None and choice.severities is None and choice.box is None


def _bounds(
    choice: Choice, by: Literal["hour", "day"], zone: ZoneInfo, now: datetime
) -> tuple[datetime, datetime]:
    """Extend the requested period to whole hours or days."""
    usual, most = SHOWN[by]
    last = choice.until - timedelta(microseconds=1) if choice.until is not None else now
    until = _begin(_begin(last, by, zone) + (HOUR if by == "hour" else 1.5 * DAY), by, zone)
    since = _begin(until - usual if choice.since is None else choice.since, by, zone)
    if until - since > most + DAY:
        raise Invalid(fields=[Field("from", f"must be at most {most.days} days before `to`.")])
    return since, max(since, until)


def _begin(moment: datetime, by: Literal["hour", "day"], zone: ZoneInfo) -> datetime:
    """Return the start of the hour or day that a time lies in."""
    if by == "hour":
        return moment.replace(minute=0, second=0, microsecond=0)
    local = moment.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)
    return local.astimezone(UTC)


def _starts(
    since: datetime, until: datetime, by: Literal["hour", "day"], zone: ZoneInfo
) -> Iterator[datetime]:
    start = since
    while start < until:
        yield start
        # A day has 23 to 25 hours.
        start = start + HOUR if by == "hour" else _begin(start + 1.5 * DAY, by, zone)


async def _summed(db: Db, choice: Choice) -> list[_Sum]:
    """Read the stored sums, and count derived alerts."""
    typed, derived = choice.of_types(), choice.where()
    return await db.many(
        _Sum,
        f"""select hour, kind, type, sum(events)::bigint as events, 0::bigint as looked
            from device_counts where company = :company and device_no = any(:numbers)
              and hour >= :since and hour < :until and {typed}
            group by hour, kind, type
            union all
            select date_trunc('hour', occurred_at), kind, coalesce(type, ''), count(*), 0
            from device_events {derived} and class = {kinds.Class.ALERT:d}
              and flags & {DERIVED} <> 0
            group by 1, 2, 3""",
        **{**derived.values, **typed.values},
        numbers=[ALL] if choice.devices is None else list(choice.devices),
    )


async def _directly(db: Db, choice: Choice) -> list[_Sum]:
    """Count the events themselves, using an index as far as possible."""
    beyond = choice.fitting(types=False, severities=False)
    inner = msgspec.structs.replace(choice, spans=None, box=None).where()
    events = f"""select occurred_at, kind, type, latitude, longitude
                 from device_events {inner}"""
    spans: Mapping[str, list[Any]] = {}
    if choice.spans is not None:
        # Span by span through the index: comparing each event with all spans takes seconds.
        spans = columns_of(choice.spans)
        events = f"""select e.* from unnest(:span_numbers::bigint[], :span_since::timestamptz[],
                         :span_until::timestamptz[]) s (number, span_since, span_until)
                     cross join lateral ({events} and device_no = number
                         and occurred_at >= span_since
                         and occurred_at < coalesce(span_until, 'infinity') limit :looks) e"""
    return await db.many(
        _Sum,
        f"""select date_trunc('hour', occurred_at) as hour, kind, coalesce(type, '') as type,
                   count(*) filter (where {beyond}) as events, count(*) as looked
            from ({events} limit :looks) looked
            group by 1, 2, 3""",
        **{**inner.values, **beyond.values, **spans, "looks": LOOKS},
    )
