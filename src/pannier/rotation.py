"""Another secret for the installation: what the old one sealed is sealed anew, its key vouched for.

Both secrets are known while this goes on, and the old one for as long as somebody wants: what it
signed and sealed stays good. So nothing has to stop, and whoever is killed in the middle begins
again; what is sealed with the new secret already is left as it is.
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

BEAT_WITHIN: Final = timedelta(seconds=30)


# All that is kept sealed for longer than a month; answers of keyed requests are gone by then.
SEALED: Final = (stores.SEALED, webhooks.SEALED, departures.SEALED_GRANTS, departures.SEALED)


async def under_way(database: Database) -> bool:
    """Tell whether the database still works with a secret before the present one."""
    async with database.reading() as db:
        theirs: str = await db.value(installation.FINGERPRINT)
    return theirs != database.keys.fingerprint()


async def behind(database: Database) -> int:
    """Count the workers that are alive and work with another secret than the present one."""
    async with database.reading() as db:
        found: int = await db.value(
            heartbeats.WITH_OTHER_SECRET,
            within=BEAT_WITHIN,
            ours=database.keys.fingerprint(),
        )
    return found


async def finish(database: Database) -> int:
    """Seal everything with the present secret, and let its key vouch for those before it."""
    count = 0
    for sealed in SEALED:
        after: UUID | None = UUID(int=0)
        while after is not None:
            async with database.transaction() as db:
                after, changed = await sealed.reseal_batch(db, after)
                count += changed
    async with database.transaction() as db:
        await signing.retire(db)
        await installation.adopt_secret(db)
    return count
