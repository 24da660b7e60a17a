"""Database reads of sample data."""

from typing import Final
from uuid import UUID

from pannier.db import Db, columns
from pannier.samples.models import SampleRecord

SELECT_RECORDS: Final = f"select {columns(SampleRecord)} from sample_records"


async def list_records(db: Db, company: UUID) -> list[SampleRecord]:
    """List the sample records that were not removed, in the order of their creation."""
    return await db.fetch_all(
        SampleRecord,
        f"{SELECT_RECORDS} where company = :company order by created_at, uuid",
        company=company,
    )


async def is_in_use(db: Db, company: UUID) -> bool:
    """Return whether a company has orders or webhooks."""
    in_use: bool = await db.fetch_value(
        """select exists (select from orders where company = :company and deleted_at is null)
               or exists (select from webhooks where company = :company and deleted_at is null)""",
        company=company,
    )
    return in_use
