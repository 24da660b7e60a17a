"""Erasure of a person in order templates."""

from pannier.db import Db, audit
from pannier.orders.templates import erasure as templates
from pannier.partners import erasure as partners
from pannier.privacy.people import DataSubject


async def erase_templates(db: Db, person: DataSubject) -> None:
    """Delete the templates of a person's orders, and erase the person from others."""
    rows = await partners.export_contacts(db, person.company, person.contacts)
    contacts = [row.public_id for row in rows]
    changed_ids = await templates.erase_contacts(db, person.company, contacts)
    await audit.erase_changes(db, person.company, changed_ids)
