"""The messages that went to a person, and to nobody else at the same address."""

from typing import Any, Final
from uuid import UUID

from pannier.db import Db
from pannier.privacy.people import DataSubject, list_unshared_addresses

# Whether a message `m` went to a former address of the person, after another account had verified
# it.
_AFTER_ADDRESS_CHANGE: Final = """m.recipient = any(:former) and exists (
        select from contacts k join customers c on c.contact = k.uuid
        where k.company = :company and c.uuid <> :customer and (
            (k.phone = m.recipient and c.phone_verified_at <= m.created_at)
            or (lower(k.email) = lower(m.recipient) and c.email_verified_at <= m.created_at)))"""
# Whether a message `m` is about an order without anything of the person: it went to somebody else
# at the same address.
_ABOUT_OTHERS: Final = """exists (select from orders o
        where o.company = :company and o.public_id = m.order_id
          and (o.customer = any(:contacts)) is not true
          and not exists (select from waypoints w
              where w.payload = o.payload and w.contact = any(:contacts))
          and not exists (select from entities e
              where e.payload = o.payload and e.customer = any(:contacts)))"""
# Whether a message `m` to one of the person's addresses was meant for this person only.
_TO_PERSON_ONLY: Final = f"""coalesce(m.customer, :customer) = :customer
    and not ({_AFTER_ADDRESS_CHANGE}) and not {_ABOUT_OTHERS}"""
# Whether a message `m` went to the address of a driver or an operator.
_TO_STAFF: Final = """exists (select from drivers d
        where d.company = :company and d.phone = m.recipient and d.deleted_at is null)
    or exists (select from operators o
        where o.company = :company and o.email_key = lower(m.recipient))"""
# Messages to the account or to an address that the person verified; each half has an index.
_PERSON_MESSAGES: Final = f"""
    select uuid from messages where company = :company and customer = :customer
    union select m.uuid from messages m
    where m.company = :company and m.recipient = any(:recipients) and {_TO_PERSON_ONLY}"""
# Also messages to the addresses of their contacts, such as delivery codes.
_ERASABLE: Final = f"""{_PERSON_MESSAGES}
    union select m.uuid from messages m
    where m.company = :company and m.recipient = any(:unshared_addresses)
      and {_TO_PERSON_ONLY} and not ({_TO_STAFF})"""


async def list_message_uuids(
    db: Db, person: DataSubject, last_uuid: UUID, limit: int
) -> list[UUID]:
    """List the next messages that went to a person, by UUID."""
    rows = await db.fetch_tuples(
        f"""select uuid from messages
            where uuid = any(array({_PERSON_MESSAGES})) and uuid > :last_uuid
            order by uuid limit :limit""",
        **_to_values(person),
        last_uuid=last_uuid,
        limit=limit,
    )
    return [uuid for (uuid,) in rows]


async def lock_erasable_messages(db: Db, person: DataSubject, limit: int) -> list[UUID]:
    """Lock and list messages that went to a person, or to their contacts before the closure."""
    rows = await db.fetch_tuples(
        f"""select uuid from messages where uuid = any(array({_ERASABLE}))
              and (customer = :customer or created_at <= :closed_at)
            limit :limit for update""",
        **_to_values(person),
        unshared_addresses=await list_unshared_addresses(db, person),
        closed_at=person.customer.closed_at,
        limit=limit,
    )
    return [uuid for (uuid,) in rows]


def _to_values(person: DataSubject) -> dict[str, Any]:
    return {
        "company": person.company,
        "customer": person.customer.uuid,
        "contacts": person.contacts,
        "recipients": person.recipients,
        "former": person.former_addresses,
    }
