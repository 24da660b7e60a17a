"""What drivers did today."""

from datetime import datetime
from typing import Annotated, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.db import Db
from pannier.orders.fields import InternalId
from pannier.orders.tracking.schemas import Code, Number, Words
from pannier.web.identifiers import OrderId
from pannier.web.times import Time, to_rfc3339

MAX_ACTIVITIES: Final = 500


class DriverActivity(msgspec.Struct):
    """A status that a driver recorded."""

    order_id: str
    internal_id: str | None
    tracking: str
    code: str
    status: str
    occurred_at: datetime


class DriverActivityOut(msgspec.Struct, kw_only=True):
    """An activity or a failed attempt that a driver recorded."""

    order: OrderId
    internal_id: InternalId | None
    tracking: Annotated[Number, Meta(description="The order's tracking number.")]
    code: Code
    status: Words
    occurred_at: Time

    @classmethod
    def from_activity(cls, activity: DriverActivity) -> Self:
        return cls(
            order=activity.order_id,
            internal_id=activity.internal_id,
            tracking=activity.tracking,
            code=activity.code,
            status=activity.status,
            occurred_at=to_rfc3339(activity.occurred_at),
        )


async def list_activities(
    db: Db, company: UUID, driver: str, since: datetime
) -> list[DriverActivity]:
    """List what a driver, by public id, has recorded since a time, latest first."""
    return await db.fetch_all(
        DriverActivity,
        f"""select o.public_id as order_id, o.internal_id, n.number as tracking, s.code,
                   s.status, s.occurred_at
            from tracking_statuses s
            join orders o on o.uuid = s.order_uuid
            join tracking_numbers n on n.subject = o.uuid
            where s.company = :company and s.actor_kind = 'driver' and s.actor_id = :driver
              and s.created_at >= :since and s.deleted_at is null
            order by s.created_at desc limit {MAX_ACTIVITIES}""",
        company=company,
        driver=driver,
        since=since,
    )
