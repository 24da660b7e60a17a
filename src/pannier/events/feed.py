"""The feed: relayed events in commit order, from a cursor that never ends.

The relay numbers events as it relays them, and only one relay runs at a time. An event whose
transaction commits late is therefore numbered after those that were relayed before it, and nothing
ever appears behind a cursor.

A page examines a limited number of events. If few of them match, the page is short or empty, and
its cursor still moves on.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.db import Db, Where
from pannier.db.row import RowReference
from pannier.errors import FieldError, Problem, UnknownValue
from pannier.events import patterns, stream
from pannier.events.schemas import EventFeedFilters
from pannier.kit import ids
from pannier.kit.hooks import Hook
from pannier.web.identifiers import INTERNAL_PREFIX

MAX_EXAMINED: Final = 5000
# Returns the order with an internal id; raises NotFound for the field if there is none.
find_order: Final = Hook[[Db, UUID, str], RowReference]("pannier.orders.hooks")
# An event may be relayed by a machine whose clock is up to a minute behind.
CLOCK_MARGIN: Final = "interval '2 minutes'"

# The first place whose event can have been created at `since` or later. Places and the times of
# relaying increase together, so the place is found by bisection: about forty lookups in the index.
_FIND_START: Final = f"""
    with recursive search (low, high) as (
        select 0::bigint, :horizon::bigint
        union all
        select case when is_earlier then middle else low end,
               case when is_earlier then high else middle end
        from (select low, high, (low + high) / 2 as middle from search where high - low > 1) halves
        cross join lateral (
            select coalesce((
                select relayed_at < :since::timestamptz - {CLOCK_MARGIN} from event_relays
                where company = :company and place <= middle order by place desc limit 1),
                true) as is_earlier) middle_event)
    select min(low) from search where high - low <= 1"""
_FIND_END: Final = """
    select coalesce(max(place), :after) as place, count(*) as examined
    from (select place from event_relays
          where company = :company and place > :after and place <= :horizon
          order by place limit :limit) examined"""
_PAGE: Final = "select place, public_id, body from event_relays r join events e on e.uuid = r.event"
# Events about a record, and events that belong to the sequence of an order.
# Each condition has an index.
_ABOUT_SUBJECT: Final = ("subject = :subject", "subject_uuid = :subject_uuid")
_OF_ORDER: Final = ("subject = :order and thread = :order", "thread = :order and thread <> subject")
# In the order of the index, so that the limit bounds the work. Otherwise, PostgreSQL would scan the
# table for a record with very many events.
_CANDIDATES: Final = """
    select uuid from events where company = :company and {} order by created_at limit :limit"""
_DELETED_UNTIL: Final = """
    select coalesce((select deleted_place from event_deletions where company = :company), 0)"""


class EventsExpired(Problem):
    """Events after the cursor were deleted, because they exceeded the retention time."""

    status, code, title = 410, "events_expired", "Events after this cursor were already deleted."
    remedy = (
        "Read the records themselves to catch up. Then start again without `cursor`, or with "
        "`created_since`."
    )


class FeedEvent(msgspec.Struct):
    """A relayed event with its number."""

    place: int
    public_id: str
    body: bytes


class EventFeedPage(NamedTuple):
    """Some events in commit order, and the cursor after everything examined."""

    events: list[FeedEvent]
    next_cursor: str
    has_more: bool


class _Examined(msgspec.Struct):
    """The last place that a page examines, and how many events it examines."""

    place: int
    examined: int


async def read_page(db: Db, company: UUID, filters: EventFeedFilters) -> EventFeedPage:
    """Read the events after the cursor, or from the oldest one."""
    # Everything up to the horizon has committed, so every later query sees it.
    deleted_until: int = await db.fetch_value(_DELETED_UNTIL, company=company)
    last_position: int = await db.fetch_value(stream.LAST_POSITION, company=company)
    # Once all events are deleted, a cursor after the last of them is still at the end.
    horizon = max(last_position, deleted_until)
    after = await _find_start(db, company, filters, horizon, deleted_until)
    if filters.order is not None and filters.order.startswith(INTERNAL_PREFIX):
        order = await find_order(db, company, filters.order)
        filters = msgspec.structs.replace(filters, order=order.public_id)
    where = _filter_events(Where(company, table="r"), filters)
    candidates = await _list_candidates(db, company, filters)
    if candidates is None:
        limit = MAX_EXAMINED if len(where.conditions) > 1 else filters.limit
        end, has_more = await _find_end(db, company, after, horizon, limit)
    else:
        where.add("r.event = any(:candidates)", candidates=candidates)
        end, has_more = horizon, False
    where.add("place > :after and place <= :end", after=after, end=end)
    sql = f"{_PAGE} {where} order by place limit {filters.limit + 1}"
    events = await db.fetch_all(FeedEvent, sql, **where.values)
    # Last, because events may be deleted while the page is read.
    if after < await db.fetch_value(_DELETED_UNTIL, company=company):
        raise EventsExpired
    if len(events) > filters.limit:
        del events[filters.limit :]
        end, has_more = events[-1].place, True
    return EventFeedPage(events, stream.encode_cursor(db.database, company, end), has_more)


async def _find_start(
    db: Db, company: UUID, filters: EventFeedFilters, horizon: int, deleted_until: int
) -> int:
    """Return the place after which to continue.

    Without a cursor, it lies after all deleted events. A few older ones are kept for deliveries
    that have not ended, but a cursor among them would be refused.
    """
    if filters.cursor is not None:
        return min(horizon, stream.decode_cursor(db.database, company, filters.cursor))
    place = await _find_place_before(db, company, filters.created_since, horizon)
    return max(place, deleted_until)


async def _find_place_before(
    db: Db, company: UUID, created_since: datetime | None, horizon: int
) -> int:
    """Return a place that lies before all events created at the given time or later."""
    if created_since is None:
        return 0
    place: int = await db.fetch_value(
        _FIND_START, company=company, since=created_since, horizon=horizon
    )
    return place


async def _find_end(
    db: Db, company: UUID, after: int, horizon: int, limit: int
) -> tuple[int, bool]:
    """Return the last place that the page examines, and whether more events may follow."""
    found = await db.get(
        _Examined, _FIND_END, company=company, after=after, horizon=horizon, limit=limit
    )
    return found.place, found.examined == limit


def _filter_events(where: Where, filters: EventFeedFilters) -> Where:
    names = None if filters.event is None else _list_names(filters.event)
    if names is not None:
        where.add("e.name = any(:names)", names=names)
    if filters.created_since is not None:
        where.add("e.created_at >= :created_since", created_since=filters.created_since)
    return _filter_by_records(where, filters)


def _filter_by_records(where: Where, filters: EventFeedFilters) -> Where:
    if filters.subject is not None:
        where.add(_join_conditions(_ABOUT_SUBJECT), **_make_subject_values(filters.subject))
    if filters.order is not None:
        where.add(_join_conditions(_OF_ORDER), order=filters.order)
    return where


def _join_conditions(conditions: Iterable[str]) -> str:
    return f"({' or '.join(conditions)})"


def _make_subject_values(identifier: str) -> dict[str, Any]:
    return {"subject": identifier, "subject_uuid": ids.parse_uuid(identifier)}


def _list_names(wanted_patterns: Sequence[str]) -> list[str]:
    """Return the names of the wanted events. Raise UnknownValue for an unknown pattern."""
    try:
        return patterns.list_names(patterns.validate(wanted_patterns))
    except ValueError as error:
        raise UnknownValue(fields=[FieldError("event", str(error))]) from None


async def _list_candidates(db: Db, company: UUID, filters: EventFeedFilters) -> list[UUID] | None:
    """List the events of the wanted order or record, or return None if they are too many.

    Then the page examines all events in their order instead.
    """
    conditions: tuple[str, ...]
    values: dict[str, Any]
    if filters.order is not None:
        conditions, values = _OF_ORDER, {"order": filters.order}
    elif filters.subject is not None:
        conditions, values = _ABOUT_SUBJECT, _make_subject_values(filters.subject)
    else:
        return None
    parts = " union all ".join(f"({_CANDIDATES.format(condition)})" for condition in conditions)
    values |= {"company": company, "limit": MAX_EXAMINED + 1}
    rows = await db.fetch_tuples(f"select uuid from ({parts}) found", **values)
    return [uuid for (uuid,) in rows] if len(rows) <= MAX_EXAMINED else None
