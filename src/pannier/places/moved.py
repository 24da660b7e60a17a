"""The queue of moved places. The worker remeasures the orders through them."""

from uuid import UUID

import msgspec

from pannier.db import Db, columns


class MovedPlace(msgspec.Struct):
    """A moved place, and the last remeasured payload that uses it."""

    place: UUID
    company: UUID
    after: UUID


async def lock_next_place(db: Db) -> MovedPlace | None:
    """Lock a moved place until the transaction ends. Return None if there is none."""
    return await db.find(
        MovedPlace,
        f"""select {columns(MovedPlace)} from moved_places
            order by place limit 1 for update skip locked""",
    )


async def record_progress(db: Db, moved_place: MovedPlace, payload: UUID) -> None:
    """Record the last remeasured payload of a moved place."""
    await db.execute(
        "update moved_places set after = :after where place = :place",
        after=payload,
        place=moved_place.place,
    )


async def remove_place(db: Db, moved_place: MovedPlace) -> None:
    """Remove a moved place whose payloads were all remeasured."""
    await db.execute("delete from moved_places where place = :place", place=moved_place.place)
