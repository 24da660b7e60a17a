"""Queries for parked work."""

from typing import Final
from uuid import UUID

from pannier.db import Db, Page, PageIn, Table
from pannier.parked.models import Parked

PARKED: Final = Table("parked", Parked)


async def parked(db: Db, company: UUID, filters: PageIn) -> Page[Parked]:
    """List a company's parked work."""
    return await PARKED.page(db, PARKED.where(company), filters)


async def everything(db: Db, most: int) -> list[Parked]:
    """List the parked work of all companies for the command line, newest first.

    It takes no company, because an operator repairs an installation for all companies.
    """
    return await db.many(
        Parked,
        f"select {PARKED.columns} from parked order by created_at desc, uuid desc limit :most",
        most=most,
    )
