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
from pannier.files.storage import Storage, StorageAway
from pannier.kit import ids
from pannier.proofs import evidence as rules
from pannier.proofs import integrity, queries, register, signing
from pannier.proofs.events import ProofCreated
from pannier.proofs.evidence import Captured, Evidence
from pannier.proofs.integrity import Chain, Verdict
from pannier.proofs.models import Proof, Subject
from pannier.proofs.signing import Signer

MOST_PER_SUBJECT: Final = 50


class ProofConflict(Conflict):
    """The same `proof_uuid` was sent before with different content."""

    code = "proof_conflict"
    title = "This `proof_uuid` belongs to a different proof."
    remedy = "Send another `proof_uuid`."


class TooManyProofs(Invalid):
    """The number of proofs of an order, stop or item is limited."""

    code = "too_many_proofs"
    title = f"An order, stop or item has at most {MOST_PER_SUBJECT} proofs."
    remedy = "Use the proofs that there are."


class Kept(msgspec.Struct, frozen=True):
    """The proofs that a capture created, or found from an earlier attempt."""

    proofs: list[Proof]
    replayed: bool


async def capture(
    db: Db,
    subject: Subject,
    captured: Captured,
    pieces: Sequence[Evidence],
    *,
    placed_at: datetime,
) -> Kept:
    """Append evidence to the order's chain; the caller holds the lock on the order.

    The caller has already asked `find_replayed` for an earlier attempt.
    """
    names = _names(captured.proof_uuid, len(pieces))
    if await queries.count(db, subject.company, subject.uuid) + len(pieces) > MOST_PER_SUBJECT:
        raise TooManyProofs
    created_at = rules.moment(captured, placed_at, db.now)
    signer = await signing.introduce(db)
    last = await queries.last(db, subject.company, subject.order)
    made = []
    drafts = [
        _columns(db, subject, captured, piece, created_at, name)
        for piece, name in zip(pieces, names, strict=True)
    ]
    pictures = {
        each["data"]["image"]["stored_sha256"] for each in drafts if "image" in each["data"]
    }
    await queries.lock_pictures(db, subject.company, pictures)
    for piece, columns in zip(pieces, drafts, strict=True):
        await _mark_reused(db, subject, columns["data"])
        last = await _linked(db, subject, signer, piece, columns, last)
        made.append(last)
    await _head(db, subject, signer, made[-1])
    return Kept(made, replayed=False)


async def vouch(
    db: Db, subjects: Sequence[Subject], captured: Captured, word: Evidence, *, placed_at: datetime
) -> list[Proof]:
    """Record an operator's override for subjects of a locked order, without the limit per subject.

    The head is signed last, because registration blocks the company's other new orders.
    """
    created_at = rules.moment(captured, placed_at, db.now)
    signer = await signing.introduce(db)
    made: list[Proof] = []
    for subject in subjects:
        last = made[-1] if made else await queries.last(db, subject.company, subject.order)
        columns = _columns(db, subject, captured, word, created_at, None)
        made.append(await _linked(db, subject, signer, word, columns, last))
    if made:
        await _head(db, subjects[-1], signer, made[-1])
    return made


def _names(given: UUID | None, number: int) -> list[UUID | None]:
    """Derive an id for each proof that was sent under one `proof_uuid`."""
    if given is None:
        return [None] * number
    return [given, *(uuid5(given, str(turn)) for turn in range(1, number))]


async def sent_before(
    db: Db, subject: Subject, captured: Captured, pieces: Sequence[Evidence]
) -> list[Proof] | None:
    """Return the proofs of an earlier attempt; raise ProofConflict when the content differs.

    The contents of an erased proof are unknown, so it counts as the same and is not stored again.
    """
    found = []
    names = _names(captured.proof_uuid, len(pieces))
    for piece, name in zip(pieces, names, strict=True):
        proof = None if name is None else await queries.sent_before(db, subject.company, name)
        if proof is None:
            break
        erased = proof.erased_at is not None and proof.subject_uuid == subject.uuid
        if not erased and proof.content_hash != rules.content_hash(subject, captured, piece):
            raise ProofConflict
        found.append(proof)
    if found and len(found) < len(pieces):
        raise ProofConflict
    return found or None


def _columns(
    db: Db,
    subject: Subject,
    captured: Captured,
    piece: Evidence,
    created_at: datetime,
    name: UUID | None,
) -> dict[str, Any]:
    """Build a proof's columns except its files and chain fields."""
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
        "data": rules.told(captured, piece, created_at, db.now),
        "remarks": captured.remarks,
        "activity": captured.activity,
        "driver": captured.by.uuid if captured.by else None,
        "actor_kind": db.actor.kind,
        "actor_id": db.actor.id,
        "actor_name": db.actor.name,
        "client_uuid": name,
        "content_hash": rules.content_hash(subject, captured, piece),
        "created_at": created_at,
        "received_at": db.now,
    }


async def _mark_reused(db: Db, subject: Subject, data: dict[str, Any]) -> None:
    """Record another order's proof with the same picture; the data is part of the signed facts."""
    if "image" in data:
        hashed = data["image"]["stored_sha256"]
        first = await queries.first_use(db, subject.company, subject.order, hashed)
        if first is not None:
            data["image"]["reused_from"] = first


async def _linked(
    db: Db,
    subject: Subject,
    signer: Signer,
    piece: Evidence,
    columns: dict[str, Any],
    last: Proof | None,
) -> Proof:
    """Store the picture, append the signed proof to its order's chain, and emit the event."""
    file, thumbnail = await _kept(db, subject, piece, columns["public_id"])
    columns |= {
        "file": file.uuid if file else None,
        "thumbnail": thumbnail.uuid if thumbnail else None,
        "sequence": 1 if last is None else last.sequence + 1,
    }
    hashes = {
        "file_sha256": file.sha256.hex() if file else None,
        "thumbnail_sha256": thumbnail.sha256.hex() if thumbnail else None,
    }
    # The salt prevents guessing erased contents by recomputing the hash.
    facts = integrity.facts(columns, {**hashes, "salt": secrets.token_hex(16)})
    previous = None if last is None else last.hash
    hashed = integrity.chained(previous, facts)
    proof = Proof(
        **columns,
        facts=facts,
        previous=previous,
        hash=hashed,
        signature=signer.sign(hashed),
        key_id=signer.key_id,
    )
    try:
        await db.insert("proofs", proof)
    except asyncpg.UniqueViolationError:
        # The order is locked, so only another order's proof can have the same `client_uuid`.
        raise ProofConflict from None
    data = ProofCreated.of(proof, subject.order_id)
    await outbox.emit(
        db,
        proof.company,
        Name.PROOF_OF_DELIVERY_CREATED,
        data,
        subject=proof.public_id,
        thread=subject.order_id,
    )
    return proof


async def _head(db: Db, subject: Subject, signer: Signer, last: Proof) -> None:
    """Sign the chain's new end; the caller holds the lock on the order."""
    present = await queries.head(db, subject.company, subject.order)
    number = present.number if present else await register.enter(db, subject.company, signer)
    statement = integrity.headed(subject.order_id, number, last.sequence, last.hash, db.now)
    await db.execute(
        """insert into proof_heads (order_uuid, company, number, statement, signature, key_id)
           values (:order, :company, :number, :statement, :signature, :key_id)
           on conflict (order_uuid) do update set statement = excluded.statement,
               signature = excluded.signature, key_id = excluded.key_id""",
        order=subject.order,
        company=subject.company,
        number=number,
        statement=statement,
        signature=signer.sign(integrity.head_message(statement)),
        key_id=signer.key_id,
    )


async def stored(
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
    objects = iter(await file_service.store(database, storage, *contents))
    return [
        piece
        if piece.picture is None
        else msgspec.structs.replace(piece, stored=(next(objects), next(objects)))
        for piece in pieces
    ]


async def _kept(
    db: Db, subject: Subject, piece: Evidence, name: str
) -> tuple[File | None, File | None]:
    """Create the file records, held so that nobody can delete them as ordinary files."""
    if piece.stored is None:
        return None, None
    picture, thumbnail = piece.stored
    suffix = "png" if picture.content_type == "image/png" else "jpg"
    return (
        await file_service.keep(db, subject.company, picture, name=f"{name}.{suffix}", held=True),
        await file_service.keep(
            db, subject.company, thumbnail, name=f"{name}-thumbnail.webp", held=True
        ),
    )


async def chain(db: Db, company: UUID, order: UUID, order_id: str) -> Chain:
    """Load an order's chain with its head and the trusted keys."""
    rows, head = await queries.chain(db, company, order)
    return Chain(order_id, rows, head, await signing.trusted(db))


async def files_of(db: Db, proof: Proof) -> dict[UUID, File]:
    """Return the files of a proof that still exist."""
    named = [uuid for uuid in (proof.file, proof.thumbnail) if uuid is not None]
    return await files.among(db, proof.company, named)


async def verify(
    storage: Storage, kept: Mapping[UUID, File], chain: Chain, proof: Proof
) -> Verdict:
    """Verify a proof's facts, signature, file contents and chain."""
    hashes: Mapping[str, str | None] = {
        "file_sha256": await _hash_now(storage, kept, proof.file),
        "thumbnail_sha256": await _hash_now(storage, kept, proof.thumbnail),
    }
    return integrity.judged(proof, chain, hashes)


async def _hash_now(storage: Storage, kept: Mapping[UUID, File], file: UUID | None) -> str | None:
    """Return the SHA-256 of a stored file; an empty string when its bytes are gone."""
    if file is None:
        return None
    if file not in kept:
        return ""
    try:
        return hashlib.sha256(await storage.get(kept[file].sha256)).hexdigest()
    except StorageAway:
        return ""


async def use(db: Db, proofs: Sequence[Proof], status: UUID) -> None:
    """Mark proofs as used: each allows one activity."""
    if proofs:
        await db.execute(
            "update proofs set used_by = :status where company = :company and uuid = any(:proofs)",
            status=status,
            company=proofs[0].company,
            proofs=[proof.uuid for proof in proofs],
        )
