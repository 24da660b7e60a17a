"""Retention of the event log."""

from datetime import timedelta
from typing import Final

from pannier.db import Database, retention, sweep_guard

BATCH_SIZE: Final = 1000

# Events that were not relayed yet stay.
RELAYED: Final = "exists (select from event_relays r where r.event = t.uuid)"


async def step(database: Database, keep: timedelta, needed_condition: str) -> bool:
    """Delete a batch of relayed events that are older than their retention time.

    `needed_condition` is an SQL condition. An event `t` that meets it stays, whatever its age.
    """
    condition = f"{RELAYED} and not ({needed_condition})"
    old_rows = retention.expired_rows_query("events", table="events", condition=condition)
    all_old_rows = retention.expired_rows_query(
        "events", table="events", condition=condition, lock=""
    )
    async with database.transaction() as db:
        await db.require_safe_clock()
        if not await sweep_guard.may_delete(
            db, "events", all_old_rows, batch=BATCH_SIZE, max_age=keep
        ):
            return False
        deleted_count = await retention.delete(
            db,
            f"""with deleted as (
                    delete from events where uuid = any(array({old_rows}))
                    returning uuid),
                noted as (
                    insert into event_deletions as d (company, deleted_place)
                    select company, max(place)
                    from deleted join event_relays on event = deleted.uuid
                    group by company order by company
                    on conflict (company) do update
                        set deleted_place = greatest(d.deleted_place, excluded.deleted_place))
                delete from event_relays using deleted where event = deleted.uuid""",
            max_age=keep,
            batch=BATCH_SIZE,
        )
    return deleted_count > 0
