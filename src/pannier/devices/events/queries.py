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
from pannier.devices.events.choice import Choice, Conditions, columns_of
from pannier.devices.events.cursors import Mark
from pannier.devices.events.schemas import mark_of
from pannier.devices.models import EventRow
from pannier.devices.spans import Span

LOOKS: Final = 20_000
FEWEST: Final = 200  # per device or type, however many there are
# Events are never stored further ahead than this, whatever a device's clock says.
AHEAD: Final = timedelta(hours=1)
DAY: Final = timedelta(days=1)
WIDTHS: Final = (DAY, 8 * DAY, 64 * DAY, 512 * DAY)
FIRST, LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
COLUMNS: Final = ", ".join(field.encode_name for field in msgspec.structs.fields(EventRow))
LOOKED: Final = f"{COLUMNS}, fits, last"


class Looked(EventRow, kw_only=True):
    """An examined event: whether it matches, and whether the limit was reached with it."""

    fits: bool
    last: bool


class Stretch(NamedTuple):
    """A period from `since` to before `until`."""

    since: datetime
    until: datetime


class Found(NamedTuple):
    """Some events in order, and where the next page begins."""

    rows: list[EventRow]
    next: Mark | None


async def page(
    db: Db, choice: Choice, *, limit: int, after: Mark | None = None, descending: bool = True
) -> Found:
    """Load the next events after a mark."""
    found: list[EventRow] = []
    for stretch in stretches(choice, after, db.now, descending=descending):
        missing = limit + 1 - len(found)
        statement = Statement(choice, stretch, after, descending=descending)
        rows = await statement.read(db, missing)
        for row in rows:
            if row.fits:
                found.append(row)
            if row.last and len(found) <= limit:
                return Found(found, mark_of(row))
        if len(found) > limit:
            return Found(found[:limit], mark_of(found[limit - 1]))
    return Found(found, None)


async def one(db: Db, company: UUID, mark: Mark) -> EventRow:
    """Load the event at a mark."""
    return await db.one(
        EventRow,
        f"""select {COLUMNS} from device_events where company = :company
            and device_no = :device_no and occurred_at = :occurred_at and event_key = :event_key
            limit 1""",
        company=company,
        **mark._asdict(),
    )


def stretches(
    choice: Choice, after: Mark | None, now: datetime, *, descending: bool
) -> Iterator[Stretch]:
    """Yield growing periods that cover the selection, in the order of the list."""
    since, until = choice.since or FIRST, min(choice.until or LAST, now + AHEAD)
    if descending:
        if after is not None:
            until = min(until, after.occurred_at + timedelta(microseconds=1))
        edge = min(until, now)
        for width in WIDTHS:
            if edge - since <= width:
                break
            yield Stretch(edge - width, until)
            until = edge = edge - width
    else:
        since = max(since, after.occurred_at) if after is not None else since
        for width in WIDTHS if since > FIRST else ():
            if until - since <= width:
                break
            yield Stretch(since, since + width)
            since += width
    if since < until:
        yield Stretch(since, until)


class Statement:
    """The statement that reads the events of one period, in order."""

    def __init__(
        self, choice: Choice, stretch: Stretch, after: Mark | None, *, descending: bool
    ) -> None:
        self._choice, self._stretch = choice, stretch
        self._indexes = 1  # index scans, which share the limit of examined rows
        self._way, self._beyond = ("desc", "<") if descending else ("asc", ">")
        self._order = ", ".join(f"{name} {self._way}" for name in Mark._fields)
        self._values: dict[str, Any] = {"company": choice.company, **stretch._asdict()}
        self._within = ["occurred_at >= :since", "occurred_at < :until"]
        if choice.types is not None:
            self._within.append("class = any(:classes)")
            self._values["classes"] = choice.classes()
        if after is not None:
            # Also by time alone: a row comparison gives the planner no bounds for partitions.
            place = "(:after_moment, :after_device, :after_key)"
            self._within += [
                f"occurred_at {self._beyond}= :after_moment",
                f"({', '.join(Mark._fields)}) {self._beyond} {place}",
            ]
            self._values |= {
                "after_moment": after.occurred_at,
                "after_device": after.device_no,
                "after_key": after.event_key,
            }

    async def read(self, db: Db, limit: int) -> list[Looked]:
        """Read up to `limit` events, including the last one of a branch that hit its limit."""
        branches = list(self._branches())
        if not branches:
            return []
        self._indexes = max(self._indexes, len(branches))
        text = " union all ".join(f"({branch})" for branch in branches)
        return await db.many(
            Looked,
            f"select {LOOKED} from ({text}) found order by {self._order} limit :most",
            **self._values,
            most=limit,
            looks=max(LOOKS // self._indexes, FEWEST),
        )

    def _branches(self) -> Iterator[str]:
        """Yield one query per index scan; their union is the selection."""
        choice = self._choice
        if choice.spans is not None:
            yield from self._of_devices(_within(choice.spans, self._stretch))
        elif choice.devices is not None:
            whole = [Span(number, choice.company, *self._stretch) for number in choice.devices]
            yield from self._of_devices(whole)
        elif choice.severities is not None:
            fitting = choice.fitting(severities=False)
            for severity in choice.severities:
                yield self._branch(f"company = :company and severity = {severity:d}", fitting)
        elif choice.typed:
            yield from self._of_types()
        else:
            yield self._branch("company = :company", choice.fitting())

    def _of_types(self) -> Iterator[str]:
        fitting = self._choice.fitting(types=False)
        for place, type_ in enumerate(self._choice.types or ()):
            scope = f"company = :company and class = {type_.class_:d} and kind = {type_.number:d}"
            if not type_.number:
                scope += f" and type = :type_{place}"
                self._values[f"type_{place}"] = type_.name
            yield self._branch(scope, fitting)

    def _of_devices(self, found: Sequence[Span]) -> Iterator[str]:
        if not found:
            return
        self._values |= columns_of(found)
        self._indexes = len(found)
        inner = self._branch(
            """company = :company and device_no = s.number
               and occurred_at >= s.since and occurred_at < s.until""",
            self._choice.fitting(),
        )
        yield f"""select {LOOKED} from unnest(:span_numbers::bigint[], :span_since::timestamptz[],
                      :span_until::timestamptz[]) s (number, since, until)
                  cross join lateral ({inner}) of_device"""

    def _branch(self, scope: str, fitting: Conditions) -> str:
        """Build a sorted index scan, with a limit on rows examined if conditions are left."""
        where = " and ".join([scope, *self._within])
        ordered = f"select {COLUMNS} from device_events where {where} order by {self._order}"
        if not fitting:
            rows = f"({ordered} limit :most) ordered"
            return f"select {COLUMNS}, true as fits, false as last from {rows}"
        self._values |= fitting.values
        return f"""select {LOOKED} from (
                select {COLUMNS}, coalesce({fitting}, false) as fits,
                    row_number() over () = :looks as last
                from ({ordered} limit :looks) ordered) looked
            where fits or last limit :most"""


def _within(found: Sequence[Span], stretch: Stretch) -> list[Span]:
    """Clip spans to a period, and drop those outside."""
    cut = (
        span._replace(
            since=max(span.since, stretch.since), until=min(span.until or LAST, stretch.until)
        )
        for span in found
    )
    return [span for span in cut if span.since < (span.until or LAST)]
