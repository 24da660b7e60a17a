"""Pages of device events by time, at the same cost at any depth.

A page is searched in growing periods, so that few partitions are opened. Within a period rows come
sorted from an index: per device, per type or severity, or for the whole company. Other conditions
are checked row by row, but for at most `MAX_EXAMINED` rows. Then the page ends early, and its
cursor says where to continue.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.devices.events.choice import Conditions, EventChoice, to_span_arrays
from pannier.devices.events.cursors import Mark
from pannier.devices.events.schemas import to_mark
from pannier.devices.models import DeviceEventRow
from pannier.devices.spans import Span

MAX_EXAMINED: Final = 20_000
MIN_EXAMINED: Final = 200  # per device or type, however many there are
# Events are never stored further ahead than this, whatever a device's clock says.
MAX_AHEAD: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)
PERIOD_WIDTHS: Final = (DAY, 8 * DAY, 64 * DAY, 512 * DAY)
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
COLUMNS: Final = ", ".join(field.encode_name for field in msgspec.structs.fields(DeviceEventRow))
EXAMINED_COLUMNS: Final = f"{COLUMNS}, matches, is_last"


class ExaminedRow(DeviceEventRow, kw_only=True):
    """An examined event: whether it matches, and whether the limit was reached with it."""

    matches: bool
    is_last: bool


class SearchPeriod(NamedTuple):
    """A period from `since` up to, but not including, `until`."""

    since: datetime
    until: datetime


class EventPage(NamedTuple):
    """Some events in order, and where the next page begins."""

    rows: list[DeviceEventRow]
    next: Mark | None


async def load_page(
    db: Db,
    selection: EventChoice,
    *,
    limit: int,
    last_mark: Mark | None = None,
    descending: bool = True,
) -> EventPage:
    """Load the next events after a mark."""
    events: list[DeviceEventRow] = []
    for period in list_search_periods(selection, last_mark, db.now, descending=descending):
        max_rows = limit + 1 - len(events)
        query = PeriodQuery(selection, period, last_mark, descending=descending)
        rows = await query.load(db, max_rows)
        for row in rows:
            if row.matches:
                events.append(row)
            if row.is_last and len(events) <= limit:
                return EventPage(events, to_mark(row))
        if len(events) > limit:
            return EventPage(events[:limit], to_mark(events[limit - 1]))
    return EventPage(events, None)


async def get_event(db: Db, company: UUID, event_ref: Mark) -> DeviceEventRow:
    """Load one event by its position."""
    return await db.get(
        DeviceEventRow,
        f"""select {COLUMNS} from device_events where company = :company
            and device_no = :device_no and occurred_at = :occurred_at and event_key = :event_key
            limit 1""",
        company=company,
        **event_ref._asdict(),
    )


def list_search_periods(
    selection: EventChoice, last_mark: Mark | None, now: datetime, *, descending: bool
) -> Iterator[SearchPeriod]:
    """Yield growing periods that cover the selection, in the order of the list."""
    since, until = selection.since or EARLIEST, min(selection.until or LATEST, now + MAX_AHEAD)
    if descending:
        if last_mark is not None:
            until = min(until, last_mark.occurred_at + timedelta(microseconds=1))
        period_end = min(until, now)
        for width in PERIOD_WIDTHS:
            if period_end - since <= width:
                break
            yield SearchPeriod(period_end - width, until)
            until = period_end = period_end - width
    else:
        since = max(since, last_mark.occurred_at) if last_mark is not None else since
        for width in PERIOD_WIDTHS if since > EARLIEST else ():
            if until - since <= width:
                break
            yield SearchPeriod(since, since + width)
            since += width
    if since < until:
        yield SearchPeriod(since, until)


class PeriodQuery:
    """A query for the events of one period, in order."""

    def __init__(
        self,
        selection: EventChoice,
        period: SearchPeriod,
        last_mark: Mark | None,
        *,
        descending: bool,
    ) -> None:
        self._selection, self._period = selection, period
        self._indexes = 1  # index scans, which share the limit of examined rows
        self._direction, self._operator = ("desc", "<") if descending else ("asc", ">")
        self._order = ", ".join(f"{name} {self._direction}" for name in Mark._fields)
        self._values: dict[str, Any] = {"company": selection.company, **period._asdict()}
        self._conditions = ["occurred_at >= :since", "occurred_at < :until"]
        if selection.types is not None:
            self._conditions.append("class = any(:classes)")
            self._values["classes"] = selection.list_classes()
        if last_mark is not None:
            # Also by time alone: a row comparison gives the planner no bounds for partitions.
            mark_values = "(:after_moment, :after_device, :after_key)"
            self._conditions += [
                f"occurred_at {self._operator}= :after_moment",
                f"({', '.join(Mark._fields)}) {self._operator} {mark_values}",
            ]
            self._values |= {
                "after_moment": last_mark.occurred_at,
                "after_device": last_mark.device_no,
                "after_key": last_mark.event_key,
            }

    async def load(self, db: Db, limit: int) -> list[ExaminedRow]:
        """Read up to `limit` events, including the last one of a branch that hit its limit."""
        branches = list(self._build_branches())
        if not branches:
            return []
        self._indexes = max(self._indexes, len(branches))
        text = " union all ".join(f"({branch})" for branch in branches)
        return await db.fetch_all(
            ExaminedRow,
            f"select {EXAMINED_COLUMNS} from ({text}) found order by {self._order} limit :limit",
            **self._values,
            limit=limit,
            max_examined=max(MAX_EXAMINED // self._indexes, MIN_EXAMINED),
        )

    def _build_branches(self) -> Iterator[str]:
        """Yield one query per index scan; their union is the selection."""
        selection = self._selection
        if selection.spans is not None:
            yield from self._build_device_branches(_clip_spans(selection.spans, self._period))
        elif selection.devices is not None:
            device_spans = [
                Span(number, selection.company, *self._period) for number in selection.devices
            ]
            yield from self._build_device_branches(device_spans)
        elif selection.severities is not None:
            conditions = selection.build_unindexed_conditions(severities=False)
            for severity in selection.severities:
                yield self._build_branch(
                    f"company = :company and severity = {severity:d}", conditions
                )
        elif selection.has_type_condition:
            yield from self._build_type_branches()
        else:
            yield self._build_branch("company = :company", selection.build_unindexed_conditions())

    def _build_type_branches(self) -> Iterator[str]:
        conditions = self._selection.build_unindexed_conditions(types=False)
        for index, type_ in enumerate(self._selection.types or ()):
            scope = f"company = :company and class = {type_.class_:d} and kind = {type_.number:d}"
            if not type_.number:
                scope += f" and type = :type_{index}"
                self._values[f"type_{index}"] = type_.name
            yield self._build_branch(scope, conditions)

    def _build_device_branches(self, spans: Sequence[Span]) -> Iterator[str]:
        if not spans:
            return
        self._values |= to_span_arrays(spans)
        self._indexes = len(spans)
        device_branch = self._build_branch(
            """company = :company and device_no = s.number
               and occurred_at >= s.since and occurred_at < s.until""",
            self._selection.build_unindexed_conditions(),
        )
        yield f"""select {EXAMINED_COLUMNS}
            from unnest(:span_numbers::bigint[], :span_since::timestamptz[],
                      :span_until::timestamptz[]) s (number, since, until)
                  cross join lateral ({device_branch}) of_device"""

    def _build_branch(self, scope: str, unindexed_conditions: Conditions) -> str:
        """Build a sorted index scan, with a limit on rows examined if conditions are left."""
        where = " and ".join([scope, *self._conditions])
        sorted_scan = f"select {COLUMNS} from device_events where {where} order by {self._order}"
        if not unindexed_conditions:
            rows = f"({sorted_scan} limit :limit) ordered"
            return f"select {COLUMNS}, true as matches, false as is_last from {rows}"
        self._values |= unindexed_conditions.values
        return f"""select {EXAMINED_COLUMNS} from (
                select {COLUMNS}, coalesce({unindexed_conditions}, false) as matches,
                    row_number() over () = :max_examined as is_last
                from ({sorted_scan} limit :max_examined) ordered) looked
            where matches or is_last limit :limit"""


def _clip_spans(spans: Sequence[Span], period: SearchPeriod) -> list[Span]:
    """Clip spans to a period, and drop those outside."""
    clipped_spans = (
        span._replace(
            since=max(span.since, period.since), until=min(span.until or LATEST, period.until)
        )
        for span in spans
    )
    return [span for span in clipped_spans if span.since < (span.until or LATEST)]
