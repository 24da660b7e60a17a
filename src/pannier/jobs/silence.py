"""Silence: a restored installation does nothing to the outside until `pannier resume`.

The worker runs no job while the installation is silent, so no new job can forget to ask. Requests
ask before they call a payment gateway or a webhook's receiver.
"""

from datetime import datetime
from typing import Final

from pannier.db import Database, Db
from pannier.errors import Unavailable

SELECT: Final = "select since from silence"
# For a restore, which has no `Db`.
BEGIN: Final = """
    insert into silence (since) values (pannier_now())
    on conflict (singleton) do update set since = excluded.since"""


class InstallationSilent(Unavailable):
    """This installation was restored from a backup. It sends nothing until it is resumed."""

    code = "installation_silent"
    title = "This restored installation is still silent."
    remedy = "Ask its operator to run `pannier resume`."


async def find_start(db: Db) -> datetime | None:
    """Return since when the installation is silent, or None if it works normally."""
    since: datetime | None = await db.fetch_value(SELECT)
    return since


async def end(db: Db) -> None:
    """Let the installation work and send again."""
    await db.execute("delete from silence")


async def refuse(database: Database) -> None:
    """Raise InstallationSilent if the installation is silent."""
    async with database.reading() as db:
        if await find_start(db) is not None:
            raise InstallationSilent
