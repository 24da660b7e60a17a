"""Reading parked work."""

from typing import Final
from uuid import UUID

from pannier.db import Db, Page, PageIn, Table
from pannier.parked.models import Parked

PARKED: Final = Table("parked", Parked)


async def parked(db: Db, company: UUID, filters: PageIn) -> Page[Parked]:
    """List what is parked."""
    return await PARKED.page(db, PARKED.where(company), filters)


async def everything(db: Db, most: int) -> list[Parked]:
    """Read what is parked in the whole installation, for the command line, the latest first.

    It names no company because whoever mends an installation mends it for all of them.
    """
    return await db.many(
        Parked,
        f"select {PARKED.columns} from parked order by created_at desc, uuid desc limit :most",
        most=most,
    )
