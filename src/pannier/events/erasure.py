"""Erasure of personal data in events."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db

# The event, its time and its subject stay. The body is erased, also for later replays.
_ERASE: Final = """
    update events e set body = convert_to(json_build_object(
        'event', e.name, 'api_version', old.body -> 'api_version',
        'created_at', old.body -> 'created_at',
        'data', json_build_object('id', e.subject, 'erased', true),
        'id', e.public_id)::text, 'UTF8')
    from (select uuid, convert_from(body, 'UTF8')::json as body from events
          where company = :company and subject = any(:subjects)) old
    where e.uuid = old.uuid
    returning e.uuid"""


async def erase(db: Db, company: UUID, subjects: Sequence[str]) -> list[UUID]:
    """Erase the bodies of the events about the given records and return the events' ids."""
    return [uuid for (uuid,) in await db.fetch_tuples(_ERASE, company=company, subjects=subjects)]
