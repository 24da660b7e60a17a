"""Retention of messages between dispatch and drivers, with their photos."""

from collections import defaultdict
from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier.conversations import photos
from pannier.db import Database, retention, sweep_guard

BATCH_ROWS: Final = 500
_EXPIRED: Final = retention.expired_rows_query("messages", table="driver_messages")
_ALL_EXPIRED: Final = retention.expired_rows_query("messages", table="driver_messages", lock="")


async def delete_batch(database: Database, keep: timedelta) -> bool:
    """Delete a batch of expired messages, and return whether there were any."""
    async with database.transaction() as db:
        await db.require_safe_clock()
        if not await sweep_guard.may_delete(
            db, "driver_messages", _ALL_EXPIRED, batch=BATCH_ROWS, max_age=keep
        ):
            return False
        rows = await db.fetch_tuples(
            f"select uuid, company from driver_messages where uuid = any(array({_EXPIRED}))",
            max_age=keep,
            batch=BATCH_ROWS,
        )
        messages: defaultdict[UUID, list[UUID]] = defaultdict(list)
        for uuid, company in rows:
            messages[company].append(uuid)
        for company in sorted(messages):
            await photos.delete_photos(db, company, messages[company])
        await retention.delete(
            db,
            "delete from driver_messages where uuid = any(:uuids)",
            uuids=[uuid for uuid, _ in rows],
        )
    return bool(rows)
