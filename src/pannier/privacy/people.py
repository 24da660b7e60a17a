"""Who a customer is to the rest of the house: contacts, and where messages reached them."""

from typing import Final
from uuid import UUID

import msgspec

from pannier.customers.models import Customer
from pannier.db import Db

# A contact with a phone or address that the customer has proved is the customer, unless it is the
# contact of another account. What came after the account was closed may be anybody's.
NOBODYS: Final = """k.company = :company and k.created_at <= :until
    and not exists (select from customers other where other.contact = k.uuid)"""
CONTACTS: Final = f"""
    select uuid from contacts where company = :company and uuid = :own
    union select uuid from contacts k where k.phone = :phone and {NOBODYS}
    union select uuid from contacts k where lower(k.email) = lower(:email) and {NOBODYS}"""
# The same for a customer `c` of a greater statement.
CONTACTS_OF_ROW: Final = (
    CONTACTS.replace(":company", "c.company")
    .replace(":own", "c.contact")
    .replace(":phone", "case when c.phone_verified_at is not null then c.phone end")
    .replace(":email", "case when c.email_verified_at is not null then c.email end")
    .replace(":until", "coalesce(c.closed_at, :now)")
)

# Messages that went to a person; each half goes by an index of its own.
MESSAGES: Final = """
    select uuid from messages where company = :company and customer = :customer
    union select uuid from messages where company = :company and recipient = any(:recipients)"""


class Person(msgspec.Struct, frozen=True):
    """A customer, the contacts that are the same person, and every recipient that was theirs."""

    customer: Customer
    contacts: list[UUID]
    recipients: list[str]

    @property
    def company(self) -> UUID:
        """Whose customer they are."""
        return self.customer.company


async def person(db: Db, customer: Customer) -> Person:
    """Find who a customer is to the rest of the house."""
    phone = customer.phone if customer.phone_verified_at is not None else None
    email = customer.email if customer.email_verified_at is not None else None
    contacts: list[UUID] = await db.value(
        f"select array({CONTACTS})",
        company=customer.company,
        own=customer.contact,
        phone=phone,
        email=email,
        until=customer.closed_at or db.now,
    )
    known = (customer.phone, customer.email, customer.email_key, *customer.former)
    return Person(customer, contacts, [each for each in known if each is not None])
