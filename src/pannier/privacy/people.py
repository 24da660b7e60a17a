"""Who a customer is to the rest of the house: contacts, and where messages reached them."""

from typing import Final
from uuid import UUID

import msgspec

from pannier.customers.models import Customer
from pannier.db import Db

# A contact with the customer's name and a phone or address that the customer has verified is the
# customer, as orders recognise people. Under another name it is somebody else at the same phone,
# and so is the contact of another account. A contact that was created after the account was closed
# may be anybody.
SAME_PERSON: Final = """k.company = :company and k.created_at <= :until
    and lower(k.name) in (lower(:name), (select lower(name) from contacts where uuid = :own))
    and not exists (select from customers other where other.contact = k.uuid)"""
CONTACTS: Final = f"""
    select uuid from contacts where company = :company and uuid = :own
    union select uuid from contacts k where k.phone = :phone and {SAME_PERSON}
    union select uuid from contacts k where lower(k.email) = lower(:email) and {SAME_PERSON}"""
# The same for a customer `c` of a greater statement.
CONTACTS_OF_ROW: Final = (
    CONTACTS.replace(":company", "c.company")
    .replace(":own", "c.contact")
    .replace(":name", "c.name")
    .replace(":phone", "case when c.phone_verified_at is not null then c.phone end")
    .replace(":email", "case when c.email_verified_at is not null then c.email end")
    .replace(":until", "coalesce(c.closed_at, pannier_now())")
)

# Where contacts are reached, and what else was a person's: without what other contacts or vendors
# have too, which is not theirs to take along.
THEIRS_ALONE: Final = """
    select r.address from (
        select unnest(:recipients::text[]) as address
        union select unnest(array[k.phone, k.email, lower(k.email)]) from contacts k
        where k.company = :company and k.uuid = any(:contacts)) r
    where r.address is not null
      and not exists (select from contacts o where o.company = :company and o.phone = r.address
                      and o.uuid <> all(:contacts) and o.deleted_at is null)
      and not exists (select from contacts o
                      where o.company = :company and lower(o.email) = lower(r.address)
                      and o.uuid <> all(:contacts) and o.deleted_at is null)
      and not exists (select from vendors v where v.company = :company and v.phone = r.address
                      and v.deleted_at is null)
      and not exists (select from vendors v where v.company = :company
                      and lower(v.email) = lower(r.address) and v.deleted_at is null)"""

# Whether another account has proved an address that a person gave up, before a message `m`.
GIVEN_UP: Final = """m.recipient = any(:former) and exists (
        select from contacts k join customers c on c.contact = k.uuid
        where k.company = :company and c.uuid <> :customer and (
            (k.phone = m.recipient and c.phone_verified_at <= m.created_at)
            or (lower(k.email) = lower(m.recipient) and c.email_verified_at <= m.created_at)))"""
# Whether a message `m` is about an order with which a person has nothing to do: it went to
# somebody else who is reached at the same phone or address.
ABOUT_OTHERS: Final = """exists (select from orders o
        where o.company = :company and o.public_id = m.order_id
          and (o.customer = any(:contacts)) is not true
          and not exists (select from waypoints w
              where w.payload = o.payload and w.contact = any(:contacts))
          and not exists (select from entities e
              where e.payload = o.payload and e.customer = any(:contacts)))"""
# Whether a message `m` to where a person was reached did not go to another one.
TO_NOBODY_ELSE: Final = f"""coalesce(customer, :customer) = :customer and not ({GIVEN_UP})
    and not {ABOUT_OTHERS}"""
# Messages that went to a person; each half goes by an index of its own.
MESSAGES: Final = f"""
    select uuid from messages where company = :company and customer = :customer
    union select uuid from messages m
    where company = :company and recipient = any(:recipients) and {TO_NOBODY_ELSE}"""


class Person(msgspec.Struct, frozen=True):
    """A customer, the contacts that are the same person, and every recipient that was theirs.

    What they only said was theirs is none: it may be anybody's, and messages that went there too.
    """

    customer: Customer
    contacts: list[UUID]
    recipients: list[str]

    @property
    def company(self) -> UUID:
        """Whose customer they are."""
        return self.customer.company

    @property
    def former(self) -> list[str]:
        """What was theirs and is no more: by now it may be somebody else's."""
        row = self.customer
        return [each for each in row.former if each not in {row.phone, row.email, row.email_key}]


async def person(db: Db, customer: Customer) -> Person:
    """Find who a customer is to the rest of the house."""
    phone = customer.phone if customer.phone_verified_at is not None else None
    email = customer.email if customer.email_verified_at is not None else None
    contacts: list[UUID] = await db.value(
        f"select array({CONTACTS})",
        company=customer.company,
        own=customer.contact,
        name=customer.name,
        phone=phone,
        email=email,
        until=customer.closed_at or db.now,
    )
    key = customer.email_key if email is not None else None
    known = (phone, email, key, *customer.former)
    return Person(customer, contacts, [each for each in known if each is not None])
