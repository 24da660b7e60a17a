"""The stored roads between the points of a plan, so that edits need no routing engine."""

import sys
from array import array
from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.maps.folder import Profile
from pannier.planning.problem import Roads

NO_ROAD: Final = -1
# The newest plans of a company that can be edited.
MAX_EDITABLE_PLANS: Final = 20
COLUMNS: Final = ("plan", "company", "profile", "point", "distances", "times")
_IS_LITTLE_ENDIAN: Final = sys.byteorder == "little"
RoadRow = tuple[int | None, ...]


async def save(db: Db, company: UUID, plan: UUID, roads: dict[Profile, Roads]) -> None:
    """Save the roads of a plan, and delete those of the company's older plans."""
    await delete(db, company, plan)
    records = (
        (plan, company, profile, point, _pack_cells(metres), _pack_cells(seconds))
        for profile, matrix in roads.items()
        for point, (metres, seconds) in enumerate(zip(matrix.distances, matrix.times, strict=True))
    )
    await db.copy_rows("plan_roads", COLUMNS, records)
    await db.execute(
        """delete from plan_roads where company = :company and plan in (
               select uuid from plans
               where company = :company and state in ('done', 'accepted')
               order by created_at desc, uuid desc offset :editable)""",
        company=company,
        editable=MAX_EDITABLE_PLANS,
    )


async def delete(db: Db, company: UUID, plan: UUID) -> None:
    """Delete the roads of a plan."""
    await db.execute(
        "delete from plan_roads where company = :company and plan = :plan",
        company=company,
        plan=plan,
    )


async def load(
    db: Db, company: UUID, plan: UUID, profile: Profile, points: Sequence[int]
) -> Roads | None:
    """Load the roads between points, in their order. Return None if the roads were deleted."""
    rows = await db.fetch_tuples(
        """select point, distances, times from plan_roads
           where company = :company and plan = :plan and profile = :profile
             and point = any(:points)""",
        company=company,
        plan=plan,
        profile=profile,
        points=list(points),
    )
    if len(rows) < len(set(points)):
        return None
    cells = {point: (metres, seconds) for point, metres, seconds in rows}
    return Roads(
        tuple(tuple(_unpack_cells(cells[point][0], points)) for point in points),
        tuple(tuple(_unpack_cells(cells[point][1], points)) for point in points),
    )


def _pack_cells(row: RoadRow) -> bytes:
    cells = array("i", [NO_ROAD if cell is None else cell for cell in row])
    if not _IS_LITTLE_ENDIAN:
        cells.byteswap()
    return cells.tobytes()


def _unpack_cells(data: bytes, points: Sequence[int]) -> Iterator[int | None]:
    cells = array("i", data)
    if not _IS_LITTLE_ENDIAN:
        cells.byteswap()
    for point in points:
        yield None if cells[point] == NO_ROAD else cells[point]
