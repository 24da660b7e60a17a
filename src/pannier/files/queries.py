"""Queries of files; deleted files are never returned."""

from typing import Final, Literal
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db, Page, Sort, Where, columns, load_page
from pannier.db.row import RowReference
from pannier.files.models import File, FileSweep
from pannier.files.schemas import FileFilters
from pannier.jobs.leases import Leases

PICTURE_TYPES: Final = ("image/jpeg", "image/png", "image/webp")
SELECT: Final = f"select {columns(File)} from files"
LEASES: Final = Leases("file_sweeps")
# Files in use are the pictures of proofs and issues, and the sheets of imports.
HeldFiles = Literal["all", "pictures", "none"]


def _build_where(company: UUID, held_files: HeldFiles = "all") -> Where:
    """Build a condition for existing files, and for those of them that are in use."""
    where = Where(company).add("deleted_at is null")
    if held_files == "all":
        return where
    if held_files == "none":
        return where.add("not held")
    return where.add("(not held or content_type = any(:pictures))", pictures=list(PICTURE_TYPES))


@company_settings.find_picture.register
async def find_picture(db: Db, company: UUID, identifier: str) -> RowReference | None:
    where = (
        _build_where(company).add_identifier(identifier).add_any_of("content_type", PICTURE_TYPES)
    )
    return await db.find(RowReference, f"select uuid, public_id from files {where}", **where.values)


async def find(db: Db, company: UUID, identifier: str) -> File | None:
    where = _build_where(company).add_identifier(identifier)
    return await db.find(File, f"{SELECT} {where}", **where.values)


async def get(db: Db, company: UUID, identifier: str, *, held_files: HeldFiles = "all") -> File:
    where = _build_where(company, held_files).add_identifier(identifier)
    return await db.get(File, f"{SELECT} {where}", **where.values)


async def lock(db: Db, company: UUID, identifier: str) -> File:
    where = _build_where(company).add_identifier(identifier)
    return await db.get(File, f"{SELECT} {where} for update", **where.values)


async def load_by_uuids(db: Db, company: UUID, uuids: list[UUID]) -> dict[UUID, File]:
    """Load several files by UUID."""
    if not uuids:
        return {}
    where = _build_where(company).add("uuid = any(:uuids)", uuids=uuids)
    rows = await db.fetch_all(File, f"{SELECT} {where}", **where.values)
    return {row.uuid: row for row in rows}


async def get_by_public_id(db: Db, public_id: str) -> File:
    """Return the file of a verified link; no company is needed, because the link is signed."""
    return await db.get(
        File,
        f"{SELECT} where public_id = :public_id and deleted_at is null",
        public_id=public_id,
    )


async def list_page(
    db: Db, company: UUID, filters: FileFilters, *, held_files: HeldFiles = "all"
) -> Page[File]:
    """List a page of files, newest first."""
    where = _build_where(company, held_files).add_equal(content_type=filters.content_type)
    if filters.name is not None:
        where.add("position(lower(:name) in lower(name)) > 0", name=filters.name)
    sort = Sort(("created_at", "name", "size"))
    return await load_page(db, File, SELECT, where, filters, sort)


async def lease_due_sweep(db: Db) -> FileSweep | None:
    """Lease the longest-due note that no other worker holds."""
    return await LEASES.lock_next(db, FileSweep)


async def is_object_needed(db: Db, sha256: bytes) -> bool:
    """Return whether a file refers to the object, or a later note will check it."""
    is_needed: bool = await db.fetch_value(
        """select exists (select 1 from files where sha256 = :sha256 and deleted_at is null)
               or exists (select 1 from file_sweeps
                          where sha256 = :sha256 and due_at > pannier_now())""",
        sha256=sha256,
    )
    return is_needed


async def has_sweep(db: Db, sweep: UUID) -> bool:
    """Return whether a sweep's note, and therefore its object, still exists."""
    has_note: bool = await db.fetch_value(
        "select exists (select 1 from file_sweeps where uuid = :note)", note=sweep
    )
    return has_note


async def lock_object_shared(db: Db, sha256: bytes) -> None:
    """Lock an object against the sweep until the transaction ends; the lock is shared."""
    await db.execute("select pg_advisory_xact_lock_shared(:number)", number=_to_lock_number(sha256))


async def try_lock_object(db: Db, sha256: bytes) -> bool:
    """Lock an object until the transaction ends. Return False if it is locked already."""
    is_locked: bool = await db.fetch_value(
        "select pg_try_advisory_xact_lock(:number)", number=_to_lock_number(sha256)
    )
    return is_locked


def _to_lock_number(sha256: bytes) -> int:
    # A collision of two objects is harmless: they only wait for each other.
    return int.from_bytes(sha256[:8], signed=True)
