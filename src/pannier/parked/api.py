"""HTTP handlers for parked work. The application adds authentication."""

from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.parked import queries, service
from pannier.parked.queries import PARKED
from pannier.parked.schemas import ParkedOut
from pannier.web.resources import Resource
from pannier.web.routes import post

parked: Final = Resource(
    PARKED,
    out=ParkedOut,
    page=queries.list_parked_work,
    summaries={
        "read": "Retrieve a parked job: background work that kept failing.",
        "list": "List parked jobs: background work that kept failing.",
        "delete": "Delete a parked job, so that it is not retried.",
    },
)


@post("/parked/{parked_id:str}/retry", status_code=200)
async def retry_parked(company: UUID, parked_id: str, db: Db) -> ParkedOut:
    """Retry a parked job now."""
    return ParkedOut.from_row(
        await service.schedule_retry(db, await PARKED.lock(db, company, parked_id))
    )


handlers: Final = (*parked.make_handlers(with_envelope=True), retry_parked)
