"""Places that have moved, until the worker has measured the orders through them again."""

from uuid import UUID

import msgspec

from pannier.db import Db, columns


class MovedPlace(msgspec.Struct):
    """A place that moved, and the last payload through it that was measured again."""

    place: UUID
    company: UUID
    after: UUID


async def take(db: Db) -> MovedPlace | None:
    """Hold a place that has moved until the transaction ends, or None."""
    return await db.find(
        MovedPlace,
        f"""select {columns(MovedPlace)} from moved_places
            order by place limit 1 for update skip locked""",
    )


async def advance(db: Db, moved: MovedPlace, after: UUID) -> None:
    """Record up to which payload a moved place was measured again."""
    await db.execute(
        "update moved_places set after = :after where place = :place",
        after=after,
        place=moved.place,
    )


async def finish(db: Db, moved: MovedPlace) -> None:
    """Record that every payload through a moved place was measured again."""
    await db.execute("delete from moved_places where place = :place", place=moved.place)
