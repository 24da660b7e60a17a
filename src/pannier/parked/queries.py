"""Queries for parked work."""

from typing import Final
from uuid import UUID

from pannier.db import Db, Page, PageIn, Table
from pannier.parked.models import ParkedWork

PARKED: Final = Table("parked", ParkedWork)


async def list_parked_work(db: Db, company: UUID, filters: PageIn) -> Page[ParkedWork]:
    """List a company's parked work."""
    return await PARKED.load_page(db, PARKED.where(company), filters)


async def list_all_parked_work(db: Db, limit: int) -> list[ParkedWork]:
    """List the parked work of all companies for the command line, newest first.

    It takes no company, because an operator repairs an installation for all companies.
    """
    return await db.fetch_all(
        ParkedWork,
        f"select {PARKED.columns} from parked order by created_at desc, uuid desc limit :limit",
        limit=limit,
    )
