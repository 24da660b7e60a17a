"""Forgetting what proofs say and show of a person; that they were captured stays provable.

Of each proof its place in the chain, its hash and its signature stay, and what is left is signed:
so the proofs of others in the same order go on verifying. Its pictures go when the sweep finds that
no other file has the same bytes.
"""

from collections.abc import Sequence
from uuid import UUID

from pannier.db import Db
from pannier.files import service as files
from pannier.proofs import service as proofs


async def forget(db: Db, company: UUID, order: UUID, subjects: Sequence[UUID]) -> None:
    """Empty the proofs of some subjects of an order, and let their pictures go."""
    pictures = await proofs.erase(db, company, order, subjects)
    await files.release(db, company, [uuid for uuid in pictures if uuid is not None])
