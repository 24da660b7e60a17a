"""Rotation of the installation's secret: sealed values are sealed again with the new secret.

Meanwhile processes know both secrets, so signatures and sealed values stay valid and no process has
to stop. The old secret can stay configured. An interrupted rotation starts again and skips values
that are already sealed with the new secret.
"""

from datetime import timedelta
from typing import Final
from uuid import UUID

from pannier import installation
from pannier.accounts.stores import service as stores
from pannier.customers import departures
from pannier.db import Database, heartbeats
from pannier.proofs import signing
from pannier.webhooks import sealed as webhooks

MAX_HEARTBEAT_AGE: Final = timedelta(seconds=30)


# All sealed values that are kept for over a month. Answers of keyed requests are deleted sooner.
SEALED_TABLES: Final = (stores.SEALED, webhooks.SEALED, departures.SEALED_GRANTS, departures.SEALED)


async def is_in_progress(database: Database) -> bool:
    """Return whether the database still uses an older secret than the current one."""
    async with database.reading() as db:
        fingerprint: str = await db.fetch_value(installation.SELECT_FINGERPRINT)
    return fingerprint != database.keys.fingerprint()


async def count_outdated_workers(database: Database) -> int:
    """Count the live workers that do not use the current secret."""
    async with database.reading() as db:
        worker_count: int = await db.fetch_value(
            heartbeats.WITH_OTHER_SECRET,
            within=MAX_HEARTBEAT_AGE,
            ours=database.keys.fingerprint(),
        )
    return worker_count


async def finish_rotation(database: Database) -> int:
    """Seal all values with the current secret, and retire the older signing keys."""
    count = 0
    for table in SEALED_TABLES:
        last_uuid: UUID | None = UUID(int=0)
        while last_uuid is not None:
            async with database.transaction() as db:
                last_uuid, changed_count = await table.reseal_batch(db, last_uuid)
                count += changed_count
    async with database.transaction() as db:
        await signing.retire_old_keys(db)
        await installation.adopt_secret(db)
    return count
