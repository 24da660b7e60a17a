"""Emptying the places of a person; the company's own are kept."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db
from pannier.privacy import logs
from pannier.privacy.people import Person

# Of a payload with stops the ends are those of the stops, which say themselves for whom they are.
STOPLESS: Final = """not exists (
    select from waypoints s where s.payload = l.uuid and s.deleted_at is null)"""
# Orders for people who were erased already keep no place.
UNERASED: Final = """not exists (
    select from contacts k where k.uuid = {person} and k.erased_at is not null)"""
ORDERED: Final = f"""(o.customer = any(:contacts)) is not true
    and {UNERASED.format(person="o.customer")}"""
# Held until the erasure is committed, so that no order in flight comes to name them meanwhile and
# nobody saves one as the company's.
HOLD: Final = """
    select uuid from places where company = :company and uuid = any(:places)
    order by uuid for update"""
# Emptied are places that neither the company nor somebody else owns, and that nobody else uses. The
# town stays, for figures; nothing that leads to a door does.
FORGET: Final = f"""
    update places p set name = null, street1 = null, street2 = null, postal_code = null,
        neighborhood = null, district = null, building = null, security_access_code = null,
        phone = null, type = null, longitude = null, latitude = null, meta = '{{}}',
        geocoding = null, locate_after = null, locate_attempts = 0,
        updated_at = :now, version = version + 1
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
            and {UNERASED.format(person="coalesce(w.contact, o.customer)")})
      and not exists (
          select from payloads l left join orders o on o.uuid = l.order_uuid
          where l.pickup = p.uuid and {STOPLESS} and {ORDERED})
      and not exists (
          select from payloads l left join orders o on o.uuid = l.order_uuid
          where l.dropoff = p.uuid and {STOPLESS} and {ORDERED})
      and not exists (
          select from payloads l left join orders o on o.uuid = l.order_uuid
          where l.return_place = p.uuid and {ORDERED})
    returning public_id"""


async def forget(db: Db, who: Person, places: Sequence[UUID]) -> None:
    """Empty the places of a person; those of the company and of others are kept."""
    await db.execute(HOLD, company=who.company, places=list(places))
    names: list[str] = await db.value(
        f"with gone as ({FORGET}) select array(select public_id from gone)",
        company=who.company,
        contacts=who.contacts,
        places=list(places),
        now=db.now,
    )
    await logs.forget_changes(db, who.company, names)
