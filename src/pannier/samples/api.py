"""HTTP handlers for sample data."""

from typing import Final

from pannier.accounts import api_routers
from pannier.accounts.auth import Caller
from pannier.db import Db
from pannier.samples import queries, service
from pannier.samples.schemas import SampleDataOut
from pannier.samples.service import CompanyInUse, SampleDataExists
from pannier.web.routes import delete, get, post


@get("/sample-data")
async def get_sample_data(caller: Caller, db: Db) -> SampleDataOut:
    """List the sample data that was not removed."""
    return SampleDataOut.from_rows(await queries.list_records(db, caller.company))


@post("/sample-data", problems=[SampleDataExists, CompanyInUse])
async def add_sample_data(caller: Caller, db: Db) -> SampleDataOut:
    """Add sample data to a company without orders and webhooks.

    Adds places, contacts, vehicles, drivers, a rate and orders, each with `meta.sample`. Sample
    people have no email address, so no messages are sent.
    """
    return SampleDataOut.from_rows(await service.add_samples(db, caller.company))


@delete("/sample-data", status_code=200)
async def remove_sample_data(caller: Caller, db: Db) -> SampleDataOut:
    """Remove the sample data, except records that were changed or are in use.

    The response lists the records that stay, with the reasons.
    """
    removed, left = await service.remove_samples(db, caller.company)
    return SampleDataOut.from_rows(left, removed)


routers: Final = (
    api_routers.operator_router(
        "Sample data", "admin", [get_sample_data, add_sample_data, remove_sample_data]
    ),
)
