"""Erasure of personal data in the errors of parked work."""

from collections.abc import Sequence
from uuid import UUID

from pannier.db import Db


async def erase_errors(db: Db, company: UUID, subjects: Sequence[UUID]) -> None:
    """Erase the error messages of work on the given records. The work stays parked."""
    await db.execute(
        "update parked set error = '' where company = :company and subject_uuid = any(:subjects)",
        company=company,
        subjects=subjects,
    )
