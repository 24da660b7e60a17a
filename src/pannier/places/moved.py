"""Queue of places that moved and whose orders the worker has to remeasure."""

from uuid import UUID

import msgspec

from pannier.db import Db, columns


class MovedPlace(msgspec.Struct):
    """A moved place, and the last payload through it that was remeasured."""

    place: UUID
    company: UUID
    after: UUID


async def lock_next(db: Db) -> MovedPlace | None:
    """Lock a moved place until the transaction ends; return None if there is none."""
    return await db.find(
        MovedPlace,
        f"""select {columns(MovedPlace)} from moved_places
            order by place limit 1 for update skip locked""",
    )


async def advance(db: Db, moved_place: MovedPlace, after: UUID) -> None:
    """Record the last payload of a moved place that was remeasured."""
    await db.execute(
        "update moved_places set after = :after where place = :place",
        after=after,
        place=moved_place.place,
    )


async def finish(db: Db, moved_place: MovedPlace) -> None:
    """Remove a moved place whose payloads were all remeasured."""
    await db.execute("delete from moved_places where place = :place", place=moved_place.place)
