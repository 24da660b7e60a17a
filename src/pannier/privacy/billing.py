"""The billing identity of a person who is erased with unsettled transactions."""

from pannier.db import Db
from pannier.invoices import erasure as invoices
from pannier.partners import erasure as partners
from pannier.partners.models import Contact
from pannier.payments import billing_identities
from pannier.payments.billing_identities import BillingIdentity
from pannier.places import erasure as places
from pannier.privacy.people import DataSubject


async def keep_billing_identities(db: Db, person: DataSubject) -> None:
    """Keep the name, address and tax number of a person who owes, is owed or is to be invoiced.

    Call it before anything is erased.
    """
    company = person.company
    contacts = await billing_identities.list_unsettled_contacts(db, company, person.contacts)
    for contact in await partners.export_contacts(db, company, contacts) if contacts else []:
        identity = BillingIdentity(
            uuid=db.new_uuid(),
            company=company,
            created_at=db.now,
            contact=contact.uuid,
            name=contact.name,
            address=await _find_address(db, contact),
            tax_number=contact.tax_number,
        )
        await billing_identities.keep(db, identity)
    await invoices.keep_draft_buyers(db, company, person.contacts)


async def _find_address(db: Db, contact: Contact) -> str | None:
    """Find the address of a contact: their place, else the oldest place that they own."""
    uuids = await places.list_owned_places(db, contact.company, [contact.public_id])
    if contact.place is not None:
        uuids = [contact.place]
    rows = await places.export(db, contact.company, uuids) if uuids else []
    return next((row.address for row in rows if row.address), None)
