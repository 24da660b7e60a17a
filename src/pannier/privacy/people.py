"""The person behind a customer, as other domains know them: contacts and addresses."""

from uuid import UUID

import msgspec

from pannier.customers import erasure as customers
from pannier.customers.models import Customer
from pannier.db import Db
from pannier.partners import erasure as partners


class DataSubject(msgspec.Struct, frozen=True):
    """A customer, the contacts that are the same person, and all their verified addresses.

    `recipients` are phones and email addresses that the customer verified at some time. One that
    they only entered may be somebody else's, and so may the messages sent there.
    """

    customer: Customer
    contacts: list[UUID]
    recipients: list[str]

    @property
    def company(self) -> UUID:
        return self.customer.company

    @property
    def former_addresses(self) -> list[str]:
        """Addresses that they no longer use; somebody else may have them by now."""
        row = self.customer
        return [
            address
            for address in row.former
            if address not in {row.phone, row.email, row.email_key}
        ]


async def load_person(db: Db, customer: Customer) -> DataSubject:
    """Load a customer's contacts and verified addresses."""
    contacts = await customers.list_contact_uuids(db, customer)
    addresses: list[str | None] = [*customer.former]
    if customer.email_verified_at is not None:
        addresses = [customer.email, customer.email_key, *addresses]
    if customer.phone_verified_at is not None:
        addresses = [customer.phone, *addresses]
    return DataSubject(
        customer, contacts, [address for address in addresses if address is not None]
    )


async def list_contact_addresses(db: Db, person: DataSubject) -> list[str]:
    """List the phones and email addresses of a person's contacts, verified or not."""
    rows = await partners.export_contacts(db, person.company, person.contacts)
    return [address for row in rows for address in (row.phone, row.email) if address is not None]


async def list_unshared_addresses(db: Db, person: DataSubject) -> list[str]:
    """List the addresses of a person and of their contacts that nobody else uses."""
    contact_addresses = await list_contact_addresses(db, person)
    addresses = {
        *person.recipients,
        *contact_addresses,
        *(address.lower() for address in contact_addresses),
    }
    return await partners.list_unshared_addresses(
        db, person.company, person.contacts, sorted(addresses)
    )
