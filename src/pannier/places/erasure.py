"""Erasure and export of a person's places."""

from collections.abc import Sequence
from uuid import UUID

from pannier.db import Db, columns
from pannier.places.models import PlaceRow


async def lock(db: Db, company: UUID, uuids: Sequence[UUID]) -> None:
    """Lock places until the erasure is committed.

    Until then no order can start to use one, and no operator can save one as the company's.
    """
    await db.execute(
        """select uuid from places where company = :company and uuid = any(:uuids)
           order by uuid for update""",
        company=company,
        uuids=uuids,
    )


async def erase(db: Db, company: UUID, uuids: Sequence[UUID]) -> list[str]:
    """Erase the personal data of places and return their public ids.

    The city stays, for statistics.
    """
    rows = await db.fetch_tuples(
        """update places set name = null, street1 = null, street2 = null, postal_code = null,
               neighborhood = null, district = null, building = null,
               security_access_code = null, phone = null, type = null,
               longitude = null, latitude = null, meta = '{}',
               geocoding = null, locate_after = null, locate_attempts = 0,
               updated_at = :now, version = version + 1
           where company = :company and uuid = any(:uuids)
           returning public_id""",
        company=company,
        uuids=uuids,
        now=db.now,
    )
    return [public_id for (public_id,) in rows]


async def list_owned_places(db: Db, company: UUID, contacts: Sequence[str]) -> list[UUID]:
    """List the places that contacts own, whether or not orders use them."""
    rows = await db.fetch_tuples(
        """select uuid from places
           where company = :company and owner_type = 'customer' and owner = any(:contacts)""",
        company=company,
        contacts=contacts,
    )
    return [uuid for (uuid,) in rows]


async def export(db: Db, company: UUID, uuids: Sequence[UUID]) -> list[PlaceRow]:
    """Load places for an export, including deleted ones, oldest first."""
    return await db.fetch_all(
        PlaceRow,
        f"""select {columns(PlaceRow)} from places
            where company = :company and uuid = any(:uuids) order by created_at""",
        company=company,
        uuids=uuids,
    )
