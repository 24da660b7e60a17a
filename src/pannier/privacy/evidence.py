"""Forgetting what proofs say and show of a person; that they were captured stays provable.

Of each proof its place in the chain, its hash and its signature stay, so that the proofs of others
in the same order go on verifying. Its pictures go when the sweep finds that no other file has the
same bytes.
"""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.files import service as files

FORGET: Final = """
    with shown as (
        select uuid, file, thumbnail from proofs
        where company = :company and order_uuid = :order and subject_uuid = any(:subjects)
          and erased_at is null for update),
    erased as (
        update proofs p set file = null, thumbnail = null, raw_data = null, remarks = null,
            data = '{}', facts = '{}', content_hash = '', erased_at = :now
        from shown where p.uuid = shown.uuid)
    select array(select unnest(array[file, thumbnail]) from shown)"""


async def forget(db: Db, company: UUID, order: UUID, subjects: Sequence[UUID]) -> None:
    """Empty the proofs of some subjects of an order, and let their pictures go."""
    pictures: list[UUID | None] = await db.value(
        FORGET, company=company, order=order, subjects=list(subjects), now=db.now
    )
    await files.release(db, company, [uuid for uuid in pictures if uuid is not None])
