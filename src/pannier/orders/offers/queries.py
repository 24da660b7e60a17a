"""Database reads of offers, bounded and nearest first."""

from collections.abc import Sequence
from typing import Final, NamedTuple
from uuid import UUID

from pannier.db import Db
from pannier.fleet.drivers.queries import DISTANCE
from pannier.kit.geo import Point
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.stages import OPEN

# The newest offers that are considered.
MAX_OFFERS_READ: Final = 2000
# Dispatched without a driver. These are few and have their own index.
OFFERED: Final = f"adhoc and driver is null and dispatched_at is not null and {OPEN}"


class Offer(NamedTuple):
    """An offered order and its distance in metres.

    The distance is rounded to 100 metres. Exact distances from three positions would reveal the
    address.
    """

    order: Order
    away: int


async def list_nearby_offers(
    db: Db,
    company: UUID,
    position: Point,
    radius_metres: int,
    limit: int,
    *,
    skills: Sequence[str] = (),
) -> list[Offer]:
    """List the offers near a driver with these skills. An order may define its own radius."""
    where = ORDERS.where(company).add(OFFERED)
    where.add("required_skills <@ :skills::text[]", skills=list(skills))
    distances_by_order = await db.fetch_tuples(
        f"""select uuid, away from (
                select offered.uuid, offered.reach, {DISTANCE} as away
                from (select uuid, payload, coalesce(adhoc_distance, :reach) as reach from orders
                      {where} order by dispatched_at desc, uuid desc
                      limit {MAX_OFFERS_READ}) offered
                join payloads on payloads.uuid = offered.payload
                join places on places.company = :company and places.uuid = coalesce(
                    payloads.pickup, (select place from waypoints
                                      where payload = payloads.uuid and deleted_at is null
                                      order by position, uuid limit 1))) offers
            where away <= reach order by away, uuid limit :limit""",
        **where.values,
        reach=radius_metres,
        latitude=position.latitude,
        longitude=position.longitude,
        limit=limit,
    )
    rows = await ORDERS.load_many(db, company, [uuid for uuid, _ in distances_by_order])
    return [Offer(rows[uuid], int(round(distance, -2))) for uuid, distance in distances_by_order]
