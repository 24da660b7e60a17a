"""Erasure and export of the issues with a person's orders."""

from uuid import UUID

from pannier.db import Db, columns
from pannier.fleet.issues import photos
from pannier.fleet.models import Issue


async def erase(db: Db, company: UUID, order: str) -> list[str]:
    """Erase the personal data of an order's issues. Return the issues' public ids."""
    rows = await db.fetch_tuples(
        """update issues set title = null, report = '', resolution = null, latitude = null,
               longitude = null, meta = '{}', updated_at = :now, version = version + 1
           where company = :company and order_id = :order
           returning uuid, public_id""",
        company=company,
        order=order,
        now=db.now,
    )
    await photos.delete_photos(db, company, [uuid for uuid, _ in rows])
    return [public_id for _, public_id in rows]


async def export(db: Db, company: UUID, order: str) -> list[Issue]:
    """Load an order's issues for an export, oldest first."""
    return await db.fetch_all(
        Issue,
        f"""select {columns(Issue)} from issues
            where company = :company and order_id = :order order by created_at""",
        company=company,
        order=order,
    )
