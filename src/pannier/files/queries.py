"""Reading files; what was deleted is not there."""

from typing import Final
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db, Page, Sort, Where, columns, page
from pannier.db.row import Named
from pannier.files.models import File, Sweep
from pannier.files.schemas import FileFilters
from pannier.jobs.leases import Leases

PICTURES: Final = ("image/jpeg", "image/png", "image/webp")
SELECT: Final = f"select {columns(File)} from files"
LEASES: Final = Leases("file_sweeps")


def _living(company: UUID, *, held: bool = True) -> Where:
    """Begin a condition on files that are there, or only on those that nothing else keeps."""
    where = Where(company).that("deleted_at is null")
    return where if held else where.that("not held")


@company_settings.find_picture.register
async def find_picture(db: Db, company: UUID, identifier: str) -> Named | None:
    """Find an uploaded picture, or None."""
    where = _living(company).named(identifier).one_of("content_type", PICTURES)
    return await db.find(Named, f"select uuid, public_id from files {where}", **where.values)


async def find(db: Db, company: UUID, identifier: str) -> File | None:
    """Read a file, or None."""
    where = _living(company).named(identifier)
    return await db.find(File, f"{SELECT} {where}", **where.values)


async def get(db: Db, company: UUID, identifier: str, *, held: bool = True) -> File:
    """Read a file."""
    where = _living(company, held=held).named(identifier)
    return await db.one(File, f"{SELECT} {where}", **where.values)


async def take(db: Db, company: UUID, identifier: str) -> File:
    """Read a file and hold it until the transaction ends."""
    where = _living(company).named(identifier)
    return await db.one(File, f"{SELECT} {where} for update", **where.values)


async def among(db: Db, company: UUID, uuids: list[UUID]) -> dict[UUID, File]:
    """Read several files at once, by UUID."""
    if not uuids:
        return {}
    where = _living(company).that("uuid = any(:uuids)", uuids=uuids)
    rows = await db.many(File, f"{SELECT} {where}", **where.values)
    return {row.uuid: row for row in rows}


async def linked(db: Db, public_id: str) -> File:
    """Read the file of a link that was checked: its signature stands for the company."""
    return await db.one(
        File,
        f"{SELECT} where public_id = :public_id and deleted_at is null",
        public_id=public_id,
    )


async def files(db: Db, company: UUID, filters: FileFilters, *, held: bool = True) -> Page[File]:
    """List files, the newest first."""
    where = _living(company, held=held).equal(content_type=filters.content_type)
    if filters.name is not None:
        where.that("position(lower(:name) in lower(name)) > 0", name=filters.name)
    sort = Sort(("created_at", "name", "size"))
    return await page(db, File, SELECT, where, filters, sort)


async def due_sweep(db: Db) -> Sweep | None:
    """Take the note that has been due the longest and that no other worker holds."""
    return await LEASES.hold(db, Sweep)


async def needed(db: Db, sha256: bytes) -> bool:
    """Tell whether a living file names an object, or a later note will look at it."""
    found: bool = await db.value(
        """select exists (select 1 from files where sha256 = :sha256 and deleted_at is null)
               or exists (select 1 from file_sweeps
                          where sha256 = :sha256 and due_at > pannier_now())""",
        sha256=sha256,
    )
    return found


async def noted(db: Db, note: UUID) -> bool:
    """Tell whether a note for the sweep is still there, and with it the object."""
    found: bool = await db.value(
        "select exists (select 1 from file_sweeps where uuid = :note)", note=note
    )
    return found


async def hold(db: Db, sha256: bytes) -> None:
    """Keep the sweep away from an object until the transaction ends; many may hold it at once."""
    await db.execute("select pg_advisory_xact_lock_shared(:number)", number=_number(sha256))


async def held_alone(db: Db, sha256: bytes) -> bool:
    """Hold an object against everybody until the transaction ends; False when somebody holds it."""
    alone: bool = await db.value(
        "select pg_try_advisory_xact_lock(:number)", number=_number(sha256)
    )
    return alone


def _number(sha256: bytes) -> int:
    # Two objects that share a number only wait for each other.
    return int.from_bytes(sha256[:8], signed=True)
