"""Adding sample data, and removing it again."""

from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts import audit
from pannier.accounts import queries as accounts
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.db.database import is_transient
from pannier.errors import Conflict, Problem
from pannier.imports.adapters import ADAPTERS
from pannier.imports.models import ImportResource
from pannier.samples import content, queries
from pannier.samples.models import SampleRecord

# Records are removed before those that they refer to.
REMOVAL_ORDER: Final[tuple[ImportResource, ...]] = (
    "orders", "drivers", "vehicles", "contacts", "places", "service-rates",
)  # fmt: skip


class SampleDataExists(Conflict):
    """A company can have the sample data once."""

    code = "sample_data_exists"
    title = "The sample data was already added."
    remedy = "Remove it first."


class CompanyInUse(Conflict):
    """Only companies without orders and webhooks can add sample data.

    So no sample order gets among real ones, and no webhook is called for one.
    """

    code = "company_in_use"
    title = "This company already has orders or webhooks."
    remedy = "Use a test company."


async def add_samples(db: Db, company: UUID) -> list[SampleRecord]:
    """Add the sample data to a company without orders and webhooks."""
    # Of two requests at once, the second one waits for the first and is refused.
    locked_company = await accounts.lock_company(db, company)
    if await queries.list_records(db, company):
        raise SampleDataExists
    if await queries.is_in_use(db, company):
        raise CompanyInUse
    ids = await _create_records(db, company)
    await db.flush()
    rows = [
        SampleRecord(
            **db.new_row_fields(company),
            resource=resource,
            record=public_id,
            fingerprint=await ADAPTERS[resource].load_fingerprint(db, company, public_id),
        )
        for resource, public_id in ids
    ]
    await db.insert("sample_records", *rows)
    audit.record(
        db, company, "sample_data.added", locked_company.public_id, records=[id_ for _, id_ in ids]
    )
    return rows


async def _create_records(db: Db, company: UUID) -> list[tuple[ImportResource, str]]:
    """Create the records, and return their public ids."""
    settings = await company_settings.load(db, company)
    ids: list[tuple[ImportResource, str]] = []

    async def create(resource: ImportResource, data: msgspec.Struct) -> str:
        public_id = await ADAPTERS[resource].create(db, company, data)
        ids.append((resource, public_id))
        return public_id

    await create("service-rates", content.make_rate(settings))
    addresses = (content.DEPOT, *content.DROPOFFS)
    places = [await create("places", content.make_place(address)) for address in addresses]
    contacts = [await create("contacts", content.make_contact(name)) for name in content.RECIPIENTS]
    drivers = []
    for number, courier in enumerate(content.COURIERS):
        vehicle = await create("vehicles", content.make_vehicle(courier))
        driver = content.make_driver(number, courier, vehicle)
        drivers.append(await create("drivers", driver))
    for number in range(len(content.DROPOFFS)):
        order = content.make_order(number, db.now, settings, places, contacts, drivers)
        await create("orders", order)
    return ids


async def remove_samples(db: Db, company: UUID) -> tuple[int, list[SampleRecord]]:
    """Remove the sample data.

    Return the number of removed records, and the records that stay, with the reasons.
    """
    locked_company = await accounts.lock_company(db, company)
    rows = await queries.list_records(db, company)
    for row in sorted(rows, key=lambda row: REMOVAL_ORDER.index(row.resource)):
        reason = await _try_removal(db, row)
        if reason is None:
            await db.execute(
                "delete from sample_records where company = :company and uuid = :record",
                company=company,
                record=row.uuid,
            )
        else:
            await db.update("sample_records", row.uuid, reason=reason)
    left = await queries.list_records(db, company)
    if len(left) < len(rows):
        details: dict[str, Any] = {
            "removed": len(rows) - len(left),
            "left": {row.record: row.reason for row in left},
        }
        audit.record(db, company, "sample_data.removed", locked_company.public_id, **details)
    return len(rows) - len(left), left


async def _try_removal(db: Db, row: SampleRecord) -> str | None:
    """Delete a record. Return why not if it was changed or is in use."""
    try:
        async with db.nested_transaction():
            reason = await ADAPTERS[row.resource].try_delete(
                db, row.company, row.record, row.fingerprint
            )
            await db.flush()
    except Problem as problem:
        if is_transient(problem):
            raise
        return problem.detail
    return reason
