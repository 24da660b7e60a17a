"""Erasure of personal data in proofs. The captures themselves remain provable.

Each proof keeps its place in the chain, its hash and its signature, and the remaining facts are
signed. So the order's other proofs still verify. The sweep deletes pictures once no other file has
the same bytes.
"""

from collections.abc import Sequence
from uuid import UUID

from pannier.db import Db, Where
from pannier.files import service as files
from pannier.proofs import integrity, signing
from pannier.proofs.models import Proof
from pannier.proofs.queries import SELECT


async def erase(db: Db, company: UUID, order: UUID, subjects: Sequence[UUID]) -> list[str]:
    """Erase the contents of some subjects' proofs of a locked order. Return their public ids."""
    proofs = await list_subject_proofs(db, company, order, subjects)
    unerased_proofs = [proof for proof in proofs if proof.erased_at is None]
    if unerased_proofs:
        await _erase_contents(db, unerased_proofs)
        pictures = (file for proof in unerased_proofs for file in (proof.file, proof.thumbnail))
        await files.delete_held_files(db, company, [file for file in pictures if file is not None])
    return [proof.public_id for proof in proofs]


async def _erase_contents(db: Db, proofs: Sequence[Proof]) -> None:
    signer = await signing.get_registered_signer(db)
    for proof in proofs:
        facts = integrity.encode_erased_facts(proof, db.now)
        await db.update(
            "proofs",
            proof.uuid,
            **integrity.ERASED_VALUES,
            facts=facts,
            content_hash=b"",
            erased_at=db.now,
            erasure=signer.sign(integrity.build_erasure_message(proof.hash, facts)),
            erasure_key=signer.key_id,
        )


async def list_subject_proofs(
    db: Db, company: UUID, order: UUID, subjects: Sequence[UUID]
) -> list[Proof]:
    """List some subjects' proofs of an order, in chain order."""
    where = Where(company).add_equal(order_uuid=order)
    where.add("subject_uuid = any(:subjects)", subjects=list(subjects))
    return await db.fetch_all(Proof, f"{SELECT} {where} order by sequence", **where.values)
