"""Erasure of a person's places; the company's own are kept."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db, audit
from pannier.imports import erasure as imports
from pannier.places import erasure as places
from pannier.privacy.people import DataSubject

# Whether a payload `l` has no stops. Otherwise its ends come from the stops, which name their
# recipients.
_HAS_NO_STOPS: Final = """not exists (
    select from waypoints s where s.payload = l.uuid and s.deleted_at is null)"""
# Whether an order `o`, or none, is for somebody else. Orders for an erased person keep no place.
_IS_FOR_ANOTHER: Final = """(o.customer = any(:contacts)) is not true and not exists (
    select from contacts k where k.uuid = o.customer and k.erased_at is not null)"""
# Places that neither the company nor another person owns or uses.
_UNSHARED: Final = f"""
    select p.uuid from places p
    where p.company = :company and p.uuid = any(:places) and p.owner_type <> 'company'
      and not exists (
          select from contacts k where k.public_id = p.owner and p.owner_type = 'customer'
            and k.uuid <> all(:contacts) and k.erased_at is null)
      and not exists (select from contacts c where c.place = p.uuid and c.uuid <> all(:contacts))
      and not exists (select from vendors v where v.place = p.uuid)
      and not exists (
          select from waypoints w join payloads l on l.uuid = w.payload
          left join orders o on o.uuid = l.order_uuid
          where w.place = p.uuid and (w.contact <> all(:contacts) or (
              w.contact is null and (o.customer = any(:contacts)) is not true))
            and not exists (select from contacts k
                where k.uuid = coalesce(w.contact, o.customer) and k.erased_at is not null))
      and not exists (
          select from payloads l left join orders o on o.uuid = l.order_uuid
          where l.pickup = p.uuid and {_HAS_NO_STOPS} and {_IS_FOR_ANOTHER})
      and not exists (
          select from payloads l left join orders o on o.uuid = l.order_uuid
          where l.dropoff = p.uuid and {_HAS_NO_STOPS} and {_IS_FOR_ANOTHER})
      and not exists (
          select from payloads l left join orders o on o.uuid = l.order_uuid
          where l.return_place = p.uuid and {_IS_FOR_ANOTHER})"""


async def erase_places(db: Db, person: DataSubject, candidates: Sequence[UUID]) -> None:
    """Erase the contents of a person's places; keep those of the company and of others."""
    await places.lock(db, person.company, candidates)
    rows = await db.fetch_tuples(
        _UNSHARED, company=person.company, contacts=person.contacts, places=list(candidates)
    )
    public_ids = await places.erase(db, person.company, [uuid for (uuid,) in rows])
    await imports.erase(db, person.company, public_ids)
    await audit.erase_changes(db, person.company, public_ids)
