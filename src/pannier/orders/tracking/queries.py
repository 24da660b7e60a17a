"""Database reads of tracking numbers and statuses."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Db, Page, Table, columns
from pannier.errors import FieldError, NotFound
from pannier.fleet.schemas import PointOut
from pannier.orders import flow
from pannier.orders.models import TrackingStatus
from pannier.orders.queries import ORDERS
from pannier.orders.tracking import links
from pannier.orders.tracking.schemas import (
    NumberFilters,
    NumberOut,
    StatusFilters,
    StatusOut,
)
from pannier.payloads import numbers
from pannier.payloads.models import TrackingNumber
from pannier.payloads.queries import ENTITIES, NUMBERS, WAYPOINTS
from pannier.places.models import PlaceRow
from pannier.places.queries import places
from pannier.web.actors import ActorOut
from pannier.web.serialization import to_schema

STATUSES: Final = Table(
    "tracking_statuses",
    TrackingStatus,
    noun="tracking_status",
    prefix="status",
    search=("code", "status", "details"),
)
# Activities that almost every order has.
COMMON_CODES: Final = (flow.CREATED, flow.DISPATCHED, flow.STARTED, flow.COMPLETED)
# The history of a number: its own statuses, in any order it was part of, those of its order, and
# for an item those of its stop. An order's number covers everything.
HISTORY: Final = f"""
    select {columns(TrackingStatus, "s")} from tracking_statuses s
    where s.company = :company and s.deleted_at is null
      and (s.tracking_number = n.uuid or s.order_uuid = n.order_uuid
           and (n.subject_type = 'order' or exists (
               select from tracking_numbers t where t.uuid = s.tracking_number
               and (t.subject_type = 'order'
                    or t.subject = (select destination from entities where uuid = n.subject)))))"""


class TrackingNumberRef(msgspec.Struct):
    """A tracking number, with its stop if it belongs to one."""

    uuid: UUID
    number: str
    waypoint: str | None


class LatestStatus(msgspec.Struct):
    """The latest status of a tracking number."""

    number: UUID
    code: str
    status: str


class LastActivity(msgspec.Struct):
    """The time of the last recorded activity of an order or a stop."""

    subject: UUID
    recorded_at: datetime


async def get_subject_number(db: Db, company: UUID, subject: UUID) -> TrackingNumberRef:
    """Get the tracking number of an order, a stop or an item."""
    return await db.get(
        TrackingNumberRef,
        """select n.uuid, n.number, w.public_id as waypoint from tracking_numbers n
           left join waypoints w on w.uuid = n.subject
           where n.company = :company and n.subject = :subject""",
        company=company,
        subject=subject,
    )


async def find_last_activity_time(
    db: Db, company: UUID, order: UUID, subject: UUID
) -> datetime | None:
    """Find the time of the last recorded activity at a stop, or on the whole order."""
    recorded_at: datetime | None = await db.fetch_value(
        """select max(s.created_at) from tracking_statuses s
           join tracking_numbers n on n.uuid = s.tracking_number
           where s.company = :company and s.order_uuid = :order and not s.manual
             and n.subject in (:order, :subject)""",
        company=company,
        order=order,
        subject=subject,
    )
    return recorded_at


async def load_last_activity_times(db: Db, company: UUID, order: UUID) -> dict[UUID, datetime]:
    """Load the times of the last recorded activities on an order and at each stop."""
    activities = await db.fetch_all(
        LastActivity,
        """select n.subject, max(s.created_at) as recorded_at from tracking_statuses s
           join tracking_numbers n on n.uuid = s.tracking_number
           where s.company = :company and s.order_uuid = :order and not s.manual
           group by n.subject""",
        company=company,
        order=order,
    )
    return {row.subject: row.recorded_at for row in activities}


async def get_number(db: Db, company: UUID, identifier: str) -> TrackingNumber:
    """Get a tracking number by its text, in any notation, or by its identifier."""
    text = numbers.parse(identifier)
    if text is None:
        return await NUMBERS.get(db, company, identifier)
    where = NUMBERS.where(company).add_equal(number=text)
    return await db.get(
        TrackingNumber, f"select {NUMBERS.columns} from tracking_numbers {where}", **where.values
    )


async def resolve_number(db: Db, company: UUID, identifier: str) -> TrackingNumber:
    """Find the tracking number in a request field; reject the field if there is none."""
    try:
        return await get_number(db, company, identifier)
    except NotFound:
        field = FieldError("tracking_number", "There is no such tracking number.")
        raise NotFound(fields=[field]) from None


async def list_numbers(db: Db, company: UUID, filters: NumberFilters) -> Page[TrackingNumber]:
    """List tracking numbers, newest first."""
    where = NUMBERS.where(company).add_equal(subject_type=filters.type)
    if filters.order is not None:
        where.add_equal(order_uuid=(await ORDERS.get(db, company, filters.order)).uuid)
    if filters.tracking is not None:
        text = numbers.parse(filters.tracking) or filters.tracking
        where.add_equal(number=text)
    return await NUMBERS.load_page(db, where, filters)


async def list_statuses(db: Db, company: UUID, filters: StatusFilters) -> Page[TrackingStatus]:
    """List tracking statuses, newest first."""
    where = STATUSES.where(company).add_equal(code=filters.code)
    if filters.code not in {None, *COMMON_CODES}:
        # This only repeats the filter above, so that PostgreSQL's planner uses the partial index of
        # rarer codes.
        where.add(f"code not in ({', '.join(map(repr, COMMON_CODES))})")
    if filters.order is not None:
        where.add_equal(order_uuid=(await ORDERS.get(db, company, filters.order)).uuid)
    if filters.tracking is not None:
        number = await resolve_number(db, company, filters.tracking)
        where.add_equal(tracking_number=number.uuid)
    where.add_time_range("created_at", filters.since, filters.until)
    return await STATUSES.load_page(db, where, filters, query=filters.query)


async def list_history(db: Db, company: UUID, row: TrackingNumber) -> list[TrackingStatus]:
    """List the history of a tracking number, oldest first."""
    return await db.fetch_all(
        TrackingStatus,
        f"""select {columns(TrackingStatus, "h")} from tracking_numbers n, lateral ({HISTORY}) h
            where n.company = :company and n.uuid = :number order by h.created_at, h.uuid""",
        company=company,
        number=row.uuid,
    )


async def load_number_outs(
    db: Db, company: UUID, rows: Sequence[TrackingNumber]
) -> Mapping[UUID, NumberOut]:
    """Build the output of tracking numbers, with their latest statuses."""
    latest_statuses = await db.fetch_all(
        LatestStatus,
        f"""select n.uuid as number, h.code, h.status from tracking_numbers n, lateral (
                {HISTORY} order by s.created_at desc, s.uuid desc limit 1) h
            where n.company = :company and n.uuid = any(:numbers)""",
        company=company,
        numbers=[row.uuid for row in rows],
    )
    status_by_number = {status.number: status for status in latest_statuses}
    public_ids = await _load_public_ids(db, company, rows)
    return {
        row.uuid: _to_number_out(
            row, public_ids, status_by_number.get(row.uuid), links.page_url(db, row.number)
        )
        for row in rows
    }


def _to_number_out(
    row: TrackingNumber,
    public_ids: Mapping[UUID, str],
    latest_status: LatestStatus | None,
    link: str,
) -> NumberOut:
    return to_schema(
        row,
        NumberOut,
        tracking_number=row.number,
        order=public_ids[row.order_uuid],
        type=row.subject_type,
        subject=public_ids[row.subject],
        status=latest_status.status if latest_status else None,
        status_code=latest_status.code if latest_status else None,
        tracking_url=link,
    )


async def _load_public_ids(
    db: Db, company: UUID, rows: Iterable[TrackingNumber]
) -> Mapping[UUID, str]:
    """Load the public ids of orders, stops and items, including deleted ones."""
    uuids = {uuid for row in rows for uuid in (row.order_uuid, row.subject)}
    tables: tuple[Table[Any], ...] = (ORDERS, WAYPOINTS, ENTITIES)
    rows_by_table = [await table.load_many(db, company, list(uuids)) for table in tables]
    return {uuid: row.public_id for table_rows in rows_by_table for uuid, row in table_rows.items()}


async def load_status_outs(
    db: Db, company: UUID, rows: Sequence[TrackingStatus]
) -> list[StatusOut]:
    """Build the output of statuses, with their numbers, orders and places."""
    numbers_by_uuid = await NUMBERS.load_many(
        db, company, list({row.tracking_number for row in rows})
    )
    orders = await ORDERS.load_many(db, company, list({row.order_uuid for row in rows}))
    places_by_uuid = await places.load_many(
        db, company, [row.place for row in rows if row.place is not None]
    )
    return [
        _to_status_out(
            row,
            numbers_by_uuid[row.tracking_number].number,
            orders[row.order_uuid].public_id,
            None if row.place is None else places_by_uuid[row.place],
        )
        for row in rows
    ]


def _to_status_out(
    row: TrackingStatus, tracking_number: str, order: str, place: PlaceRow | None
) -> StatusOut:
    return to_schema(
        row,
        StatusOut,
        tracking=tracking_number,
        order=order,
        place=place.public_id if place else None,
        address=place.address if place else None,
        city=place.city if place else None,
        province=place.province if place else None,
        postal_code=place.postal_code if place else None,
        country=place.country if place else None,
        location=PointOut.from_point(row.location),
        actor=ActorOut.from_row(row),
    )


async def has_status_of(db: Db, company: UUID, order: UUID, actor: str) -> bool:
    """Return whether an actor, by public id, has recorded a status of the order."""
    return bool(
        await db.fetch_value(
            """select exists (select from tracking_statuses
                where company = :company and order_uuid = :order and actor_id = :actor
                  and deleted_at is null)""",
            company=company,
            order=order,
            actor=actor,
        )
    )
