"""Erasure of personal data in the responses of receivers."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db

# A response may repeat data of the request.
_ERASE: Final = """
    update webhook_attempts set response_body = null, response_headers = null
    where response_body is not null and delivery in (
        select d.uuid from webhook_deliveries d join events e on e.uuid = d.event
        where e.company = :company and e.subject = any(:subjects))"""


async def erase(db: Db, company: UUID, subjects: Sequence[str]) -> None:
    """Erase the responses to events about the given records."""
    await db.execute(_ERASE, company=company, subjects=subjects)
