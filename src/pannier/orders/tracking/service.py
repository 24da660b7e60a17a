"""Recording of tracking statuses, from the flow or by hand."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid, parse_field
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.kit import device_times, geo
from pannier.kit.geo import Point
from pannier.kit.structs import convert_struct
from pannier.orders.events import TrackingStatusCreated
from pannier.orders.models import Order, TrackingStatus
from pannier.orders.queries import ORDERS
from pannier.orders.tracking import queries
from pannier.orders.tracking.queries import STATUSES
from pannier.orders.tracking.schemas import StatusChange, StatusIn
from pannier.places.models import PlaceRow
from pannier.places.queries import places
from pannier.web import fields
from pannier.web.fields import get_sent_fields
from pannier.web.serialization import to_schema


class StatusDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A status to record, with its location."""

    code: str
    status: str
    details: str = ""
    complete: bool = False
    place: PlaceRow | None = None
    location: Point | None = None
    # By the reporting device's clock. Defaults to now.
    occurred_at: datetime | None = None
    manual: bool = False
    meta: dict[str, Any] = msgspec.field(default_factory=dict)


# Fields that are copied unchanged.
_COPIED_FIELDS: Final = ("code", "status", "details", "complete", "manual", "meta")


async def record_status(
    db: Db, order: Order, draft: StatusDraft, number: queries.TrackingNumberRef
) -> TrackingStatus:
    """Record a status of an order, or of the stop or item with this number."""
    point = draft.location or (draft.place.location if draft.place else None)
    device_time = device_times.limit_to_range(
        draft.occurred_at, earliest=order.created_at, now=db.now
    )
    row = STATUSES.append(
        db,
        order.company,
        order_uuid=order.uuid,
        tracking_number=number.uuid,
        place=draft.place.uuid if draft.place else None,
        latitude=point.latitude if point else None,
        longitude=point.longitude if point else None,
        actor_kind=db.actor.kind,
        actor_id=db.actor.id,
        actor_name=db.actor.name,
        occurred_at=device_time.time,
        clock_skew=device_time.skew,
        **{name: getattr(draft, name) for name in _COPIED_FIELDS},
    )
    await _emit_status_created(db, order, row, number, draft.place)
    return row


async def _emit_status_created(
    db: Db,
    order: Order,
    row: TrackingStatus,
    number: queries.TrackingNumberRef,
    place: PlaceRow | None,
) -> None:
    data = to_schema(
        row,
        TrackingStatusCreated,
        tracking_number=number.number,
        order=order.public_id,
        waypoint=number.waypoint,
        place=place.public_id if place else None,
        address=place.address if place else None,
        location=row.location.to_geojson() if row.location else None,
    )
    await outbox.emit(
        db,
        order.company,
        Name.TRACKING_STATUS_CREATED,
        data,
        subject=row.public_id,
        thread=order.public_id,
    )


class StatusKept(Conflict):
    """A status from the flow is part of the order's history."""

    code = "status_kept"
    title = "This status was recorded by the order's flow."
    remedy = "Only manually added statuses can be changed."


async def create_manual_status(db: Db, company: UUID, data: StatusIn) -> TrackingStatus:
    order, subject = await _get_subject(db, company, data)
    place = None
    if data.place is not None:
        place = await places.resolve_reference(db, company, "place", data.place)
    draft = convert_struct(
        data,
        StatusDraft,
        place=place,
        location=_parse_point(data),
        manual=True,
        meta=parse_field("meta", fields.check_meta, data.meta or {}),
    )
    number = await queries.get_subject_number(db, company, subject)
    return await record_status(db, order, draft, number)


async def _get_subject(db: Db, company: UUID, data: StatusIn) -> tuple[Order, UUID]:
    """Find the subject of a status: that of the tracking number, or the order."""
    if data.tracking is not None:
        number = await queries.resolve_number(db, company, data.tracking)
        return await ORDERS.get(db, company, number.order_uuid), number.subject
    if data.order is None:
        raise Invalid(fields=[FieldError("tracking", "Send `tracking` or `order`.")])
    order = await ORDERS.resolve_reference(db, company, "order", data.order)
    return order, order.uuid


def _parse_point(data: StatusIn) -> Point | None:
    if data.location is not None:
        return parse_field("location", geo.parse, data.location)
    coordinates = {"latitude": data.latitude, "longitude": data.longitude}
    if all(value is None for value in coordinates.values()):
        return None
    return parse_field("latitude", geo.parse, coordinates)


async def change(db: Db, row: TrackingStatus, data: StatusChange) -> TrackingStatus:
    """Change a tracking status that was added by hand."""
    check_manual(row)
    columns = get_sent_fields(data)
    if "location" in columns:
        location = columns.pop("location")
        point = None if location is None else parse_field("location", geo.parse, location)
        columns |= {
            "latitude": point.latitude if point else None,
            "longitude": point.longitude if point else None,
        }
    if "meta" in columns:
        columns["meta"] = parse_field("meta", fields.check_meta, columns["meta"])
    new_row, _ = await STATUSES.change(db, row, **columns)
    return new_row


async def delete(db: Db, row: TrackingStatus) -> None:
    check_manual(row)
    await STATUSES.remove(db, row)


def check_manual(row: TrackingStatus) -> None:
    """Reject a change of a status that the flow recorded."""
    if not row.manual:
        raise StatusKept
