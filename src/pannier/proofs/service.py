"""Capture, verification and use of proofs."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid5

import asyncpg
import msgspec

from pannier.db import Database, Db
from pannier.errors import Conflict, Invalid
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.files import queries as files
from pannier.files import service as file_service
from pannier.files.models import Content, File
from pannier.files.storage import Storage, StorageUnavailable
from pannier.kit import ids
from pannier.proofs import evidence as rules
from pannier.proofs import integrity, queries, register, signing
from pannier.proofs.events import ProofCreated
from pannier.proofs.evidence import CaptureDetails, Evidence
from pannier.proofs.integrity import Chain, Verdict
from pannier.proofs.models import Proof, ProofSubject
from pannier.proofs.signing import Signer

MAX_PER_SUBJECT: Final = 50


class ProofConflict(Conflict):
    """The same `proof_uuid` was sent before with different content."""

    code = "proof_conflict"
    title = "This `proof_uuid` belongs to a different proof."
    remedy = "Send another `proof_uuid`."


class TooManyProofs(Invalid):
    """The number of proofs per order, stop or item is limited."""

    code = "too_many_proofs"
    title = f"An order, stop or item accepts at most {MAX_PER_SUBJECT} proofs."
    remedy = "Use the existing proofs."


class CaptureResult(msgspec.Struct, frozen=True):
    """The proofs that a capture created, or those of an earlier attempt."""

    proofs: list[Proof]
    is_replay: bool


async def capture_proofs(
    db: Db,
    subject: ProofSubject,
    capture_details: CaptureDetails,
    pieces: Sequence[Evidence],
    *,
    placed_at: datetime,
) -> CaptureResult:
    """Append proofs to the order's chain.

    The caller must hold the order's lock and must first check for a replay with
    `find_replayed_proofs`.
    """
    client_uuids = _derive_client_uuids(capture_details.proof_uuid, len(pieces))
    if (
        await queries.count_subject_proofs(db, subject.company, subject.uuid) + len(pieces)
        > MAX_PER_SUBJECT
    ):
        raise TooManyProofs
    created_at = rules.limit_capture_time(capture_details, placed_at, db.now)
    signer = await signing.get_registered_signer(db)
    last_proof = await queries.find_last_proof(db, subject.company, subject.order)
    proofs = []
    drafts = [
        _build_columns(db, subject, capture_details, piece, created_at, client_uuid)
        for piece, client_uuid in zip(pieces, client_uuids, strict=True)
    ]
    pictures = {
        draft["data"]["image"]["stored_sha256"] for draft in drafts if "image" in draft["data"]
    }
    await queries.lock_pictures(db, subject.company, pictures)
    for piece, columns in zip(pieces, drafts, strict=True):
        await _mark_reused_picture(db, subject, columns["data"])
        last_proof = await _append_proof(db, subject, signer, piece, columns, last_proof)
        proofs.append(last_proof)
    await _sign_head(db, subject, signer, proofs[-1])
    return CaptureResult(proofs, is_replay=False)


async def record_override(
    db: Db,
    subjects: Sequence[ProofSubject],
    capture_details: CaptureDetails,
    override: Evidence,
    *,
    placed_at: datetime,
) -> list[Proof]:
    """Record an operator's override for subjects of a locked order, without the limit per subject.

    The head is signed last, because registration blocks the company's other new orders.
    """
    created_at = rules.limit_capture_time(capture_details, placed_at, db.now)
    signer = await signing.get_registered_signer(db)
    proofs: list[Proof] = []
    for subject in subjects:
        last_proof = (
            proofs[-1]
            if proofs
            else await queries.find_last_proof(db, subject.company, subject.order)
        )
        columns = _build_columns(db, subject, capture_details, override, created_at, None)
        proofs.append(await _append_proof(db, subject, signer, override, columns, last_proof))
    if proofs:
        await _sign_head(db, subjects[-1], signer, proofs[-1])
    return proofs


def _derive_client_uuids(proof_uuid: UUID | None, count: int) -> list[UUID | None]:
    """Derive an id for each of several proofs that were sent under one `proof_uuid`."""
    if proof_uuid is None:
        return [None] * count
    return [proof_uuid, *(uuid5(proof_uuid, str(number)) for number in range(1, count))]


async def find_replayed_proofs(
    db: Db, subject: ProofSubject, capture_details: CaptureDetails, pieces: Sequence[Evidence]
) -> list[Proof] | None:
    """Return the proofs of an earlier attempt; raise ProofConflict if the content differs.

    The contents of an erased proof are unknown, so they count as equal.
    """
    proofs = []
    client_uuids = _derive_client_uuids(capture_details.proof_uuid, len(pieces))
    for piece, client_uuid in zip(pieces, client_uuids, strict=True):
        proof = (
            None
            if client_uuid is None
            else await queries.find_proof_by_client_uuid(db, subject.company, client_uuid)
        )
        if proof is None:
            break
        is_erased = proof.erased_at is not None and proof.subject_uuid == subject.uuid
        if not is_erased and proof.content_hash != rules.hash_content(
            subject, capture_details, piece
        ):
            raise ProofConflict
        proofs.append(proof)
    if proofs and len(proofs) < len(pieces):
        raise ProofConflict
    return proofs or None


def _build_columns(
    db: Db,
    subject: ProofSubject,
    capture_details: CaptureDetails,
    piece: Evidence,
    created_at: datetime,
    client_uuid: UUID | None,
) -> dict[str, Any]:
    """Build a proof's columns, except its files and chain fields."""
    return {
        "uuid": db.new_uuid(),
        "public_id": ids.new_public_id("proof"),
        "company": subject.company,
        "order_uuid": subject.order,
        "subject_type": subject.type,
        "subject_uuid": subject.uuid,
        "subject_id": subject.public_id,
        "method": piece.method,
        "raw_data": piece.raw_data,
        "data": rules.build_data(capture_details, piece, created_at, db.now),
        "remarks": capture_details.remarks,
        "activity": capture_details.activity,
        "driver": capture_details.capturer.uuid if capture_details.capturer else None,
        "actor_kind": db.actor.kind,
        "actor_id": db.actor.id,
        "actor_name": db.actor.name,
        "client_uuid": client_uuid,
        "content_hash": rules.hash_content(subject, capture_details, piece),
        "created_at": created_at,
        "received_at": db.now,
    }


async def _mark_reused_picture(db: Db, subject: ProofSubject, data: dict[str, Any]) -> None:
    """Add another order's proof with the same picture to the data, which is signed."""
    if "image" in data:
        digest = data["image"]["stored_sha256"]
        first_use = await queries.find_first_picture_use(db, subject.company, subject.order, digest)
        if first_use is not None:
            data["image"]["reused_from"] = first_use


async def _append_proof(
    db: Db,
    subject: ProofSubject,
    signer: Signer,
    piece: Evidence,
    columns: dict[str, Any],
    last_proof: Proof | None,
) -> Proof:
    """Store the picture, append the signed proof to its order's chain, and emit the event."""
    file, thumbnail = await _create_file_records(db, subject, piece, columns["public_id"])
    columns |= {
        "file": file.uuid if file else None,
        "thumbnail": thumbnail.uuid if thumbnail else None,
        "sequence": 1 if last_proof is None else last_proof.sequence + 1,
    }
    hashes = {
        "file_sha256": file.sha256.hex() if file else None,
        "thumbnail_sha256": thumbnail.sha256.hex() if thumbnail else None,
    }
    # The salt prevents guessing erased contents by recomputing the hash.
    facts = integrity.encode_facts(columns, {**hashes, "salt": secrets.token_hex(16)})
    previous_hash = None if last_proof is None else last_proof.hash
    digest = integrity.hash_proof(previous_hash, facts)
    proof = Proof(
        **columns,
        facts=facts,
        previous=previous_hash,
        hash=digest,
        signature=signer.sign(digest),
        key_id=signer.key_id,
    )
    try:
        await db.insert("proofs", proof)
    except asyncpg.UniqueViolationError:
        # The order is locked, so only another order's proof can have the same `client_uuid`.
        raise ProofConflict from None
    data = ProofCreated.from_row(proof, subject.order_id)
    await outbox.emit(
        db,
        proof.company,
        Name.PROOF_OF_DELIVERY_CREATED,
        data,
        subject=proof.public_id,
        thread=subject.order_id,
    )
    return proof


async def _sign_head(db: Db, subject: ProofSubject, signer: Signer, last_proof: Proof) -> None:
    """Sign the chain's new head. The caller holds the lock on the order."""
    current_head = await queries.find_head(db, subject.company, subject.order)
    number = (
        current_head.number
        if current_head
        else await register.register_order(db, subject.company, signer)
    )
    statement = integrity.encode_head(
        subject.order_id, number, last_proof.sequence, last_proof.hash, db.now
    )
    await db.execute(
        """insert into proof_heads (order_uuid, company, number, statement, signature, key_id)
           values (:order, :company, :number, :statement, :signature, :key_id)
           on conflict (order_uuid) do update set statement = excluded.statement,
               signature = excluded.signature, key_id = excluded.key_id""",
        order=subject.order,
        company=subject.company,
        number=number,
        statement=statement,
        signature=signer.sign(integrity.build_head_message(statement)),
        key_id=signer.key_id,
    )


async def store_pictures(
    database: Database, storage: Storage, pieces: Sequence[Evidence]
) -> list[Evidence]:
    """Store pictures and thumbnails before the transaction takes any locks."""
    pictures = [piece.picture for piece in pieces if piece.picture is not None]
    contents = [
        content
        for picture in pictures
        for content in (
            Content(picture.data, picture.content_type),
            Content(picture.thumbnail, "image/webp"),
        )
    ]
    objects = iter(await file_service.store_contents(database, storage, *contents))
    return [
        piece
        if piece.picture is None
        else msgspec.structs.replace(piece, stored=(next(objects), next(objects)))
        for piece in pieces
    ]


async def _create_file_records(
    db: Db, subject: ProofSubject, piece: Evidence, name: str
) -> tuple[File | None, File | None]:
    """Create the file records. Held files cannot be deleted like ordinary ones."""
    if piece.stored is None:
        return None, None
    picture, thumbnail = piece.stored
    suffix = "png" if picture.content_type == "image/png" else "jpg"
    return (
        await file_service.create(db, subject.company, picture, name=f"{name}.{suffix}", held=True),
        await file_service.create(
            db, subject.company, thumbnail, name=f"{name}-thumbnail.webp", held=True
        ),
    )


async def load_chain(db: Db, company: UUID, order: UUID, order_id: str) -> Chain:
    """Load an order's chain with its head and the trusted keys."""
    rows, head = await queries.load_chain(db, company, order)
    return Chain(order_id, rows, head, await signing.load_trusted_keys(db))


async def load_files(db: Db, proof: Proof) -> dict[UUID, File]:
    """Return the files of a proof that still exist."""
    uuids = [uuid for uuid in (proof.file, proof.thumbnail) if uuid is not None]
    return await files.load_by_uuids(db, proof.company, uuids)


async def verify_stored_proof(
    storage: Storage, files_by_uuid: Mapping[UUID, File], chain: Chain, proof: Proof
) -> Verdict:
    """Verify a proof's facts, signature, file contents and chain."""
    hashes: Mapping[str, str | None] = {
        "file_sha256": await _hash_stored_file(storage, files_by_uuid, proof.file),
        "thumbnail_sha256": await _hash_stored_file(storage, files_by_uuid, proof.thumbnail),
    }
    return integrity.verify_proof(proof, chain, hashes)


async def _hash_stored_file(
    storage: Storage, files_by_uuid: Mapping[UUID, File], file: UUID | None
) -> str | None:
    """Return the SHA-256 of a stored file, or an empty string if its bytes are gone."""
    if file is None:
        return None
    if file not in files_by_uuid:
        return ""
    try:
        return hashlib.sha256(await storage.get(files_by_uuid[file].sha256)).hexdigest()
    except StorageUnavailable:
        return ""


async def mark_proofs_used(db: Db, proofs: Sequence[Proof], status: UUID) -> None:
    """Mark proofs as used by a status. Each proof allows one activity."""
    if proofs:
        await db.execute(
            "update proofs set used_by = :status where company = :company and uuid = any(:proofs)",
            status=status,
            company=proofs[0].company,
            proofs=[proof.uuid for proof in proofs],
        )
