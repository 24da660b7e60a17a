"""Erasure of challenges."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from pannier.db import Db


async def erase_challenges(
    db: Db, company: UUID, scope: str, identities: Sequence[str], closed_at: datetime | None
) -> None:
    """Delete the challenges and codes of some phone numbers and email addresses.

    A challenge after `closed_at` may belong to a new account. An open one in another scope may
    belong to a driver or to another store's customer; the sweep deletes it days later.
    """
    await db.execute(
        """delete from challenges where company = :company and identity = any(:identities)
             and created_at <= :closed_at and (scope = :scope or closed_at is not null)""",
        company=company,
        scope=scope,
        identities=identities,
        closed_at=closed_at,
    )
