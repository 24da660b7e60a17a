"""Another secret for the installation: what the old one sealed is sealed anew, its key vouched for.

Both secrets are known while this goes on, and the old one for as long as somebody wants: what it
signed and sealed stays good. So nothing has to stop, and whoever is killed in the middle begins
again; what is sealed with the new secret already is left as it is.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final, NamedTuple, Self
from uuid import UUID

from pannier.accounts.queries import STORES
from pannier.accounts.stores import service as stores
from pannier.customers import departures
from pannier.customers.departures import Departure, Granted
from pannier.db import Database, Db, Table, columns, heartbeats
from pannier.kit.crypto import Keyring
from pannier.proofs import signing
from pannier.webhooks import sealed as webhooks
from pannier.webhooks.switch import WEBHOOKS

BATCH: Final = 100
BEAT_WITHIN: Final = timedelta(seconds=30)


class Sealed(NamedTuple):
    """A table that holds something sealed, and how its columns are sealed anew."""

    name: str
    row: type[Any]
    resealed: Callable[[Keyring, Any], Mapping[str, Any]]

    @classmethod
    def of(cls, table: Table[Any], resealed: Callable[[Keyring, Any], Mapping[str, Any]]) -> Self:
        """Name a table that is declared."""
        return cls(table.name, table.row, resealed)


# All that is kept sealed for longer than a month; answers of keyed requests are gone by then.
SEALED: Final = (
    Sealed.of(STORES, stores.resealed),
    Sealed.of(WEBHOOKS, webhooks.resealed),
    Sealed("customer_identities", Granted, departures.resealed_grant),
    Sealed("departures", Departure, departures.resealed),
)


async def under_way(database: Database) -> bool:
    """Tell whether the database still works with a secret before the present one."""
    async with database.reading() as db:
        theirs: str = await db.value("select secret_fingerprint from installation")
    return theirs != database.keys.fingerprint()


async def behind(database: Database) -> int:
    """Count the workers that are alive and work with another secret than the present one."""
    async with database.reading() as db:
        found: int = await db.value(
            f"""select count(*) from heartbeats
               where beat_at > pannier_now() - :within::interval and {heartbeats.ALIVE}
                  and secret_fingerprint <> :ours""",
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
                after, changed = await _batch(db, sealed, after)
                count += changed
    async with database.transaction() as db:
        await signing.retire(db)
        await db.execute(
            "update installation set secret_fingerprint = :ours",
            ours=db.database.keys.fingerprint(),
        )
    return count


async def _batch(db: Db, sealed: Sealed, after: UUID) -> tuple[UUID | None, int]:
    """Seal some rows anew; answers the last one, or None when there are no more."""
    rows = await db.many(
        sealed.row,
        f"""select {columns(sealed.row)} from {sealed.name} where uuid > :after
            order by uuid limit {BATCH} for no key update""",
        after=after,
    )
    changed = 0
    for row in rows:
        wanted = sealed.resealed(db.database.keys, row)
        fresh = {name: value for name, value in wanted.items() if getattr(row, name) != value}
        if fresh:
            await db.update(sealed.name, row.uuid, **fresh)
        changed += bool(fresh)
    return (rows[-1].uuid if rows else None), changed
