"""What the errors of parked work say about a person."""

from collections.abc import Sequence
from uuid import UUID

from pannier.db import Db


async def erase(db: Db, company: UUID, subjects: Sequence[UUID]) -> None:
    """Erase the error messages of work on some records; the work itself stays parked."""
    await db.execute(
        "update parked set error = '' where company = :company and subject_uuid = any(:subjects)",
        company=company,
        subjects=subjects,
    )
