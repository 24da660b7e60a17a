"""Parked work's doors. It lies below accounts, so the application says who may enter."""

from typing import Final
from uuid import UUID

from pannier.db import Db, PageIn
from pannier.parked import queries, service
from pannier.parked.queries import PARKED
from pannier.parked.schemas import ParkedOut
from pannier.web.deletions import Deleted
from pannier.web.lists import Listed, enveloped
from pannier.web.routes import delete, get, post


@get("/parked")
async def list_parked(company: UUID, filters: PageIn, db: Db) -> Listed[ParkedOut]:
    """List the background work that failed and was set aside."""
    return enveloped(await queries.parked(db, company, filters), ParkedOut.of)


@post("/parked/{parked_id:str}/retry", status_code=200)
async def retry_parked(company: UUID, parked_id: str, db: Db) -> ParkedOut:
    """Have a piece of parked work tried again at once."""
    return ParkedOut.of(await service.retry(db, await PARKED.take(db, company, parked_id)))


@delete("/parked/{parked_id:str}", status_code=200)
async def delete_parked(company: UUID, parked_id: str, db: Db) -> Deleted:
    """Give a piece of parked work up: it is not tried again."""
    gone = await PARKED.remove(db, await PARKED.take(db, company, parked_id))
    return Deleted.of(db, "parked", gone.public_id)


handlers: Final = (list_parked, retry_parked, delete_parked)
