"""The seller and the buyer of a document, as they are now."""

from uuid import UUID

from pannier.accounts.company_settings.models import CompanySettings
from pannier.db import Db
from pannier.invoices.document import Party
from pannier.invoices.models import Invoice
from pannier.partners import queries as partners
from pannier.partners.models import Contact, Vendor
from pannier.payments import billing_identities
from pannier.places import erasure as owned_places
from pannier.places import queries as places
from pannier.places.models import PlaceRow


def make_seller(settings: CompanySettings) -> Party:
    """Return the company as the seller."""
    terms = settings.invoices
    return Party(
        name=terms.legal_name,
        address_lines=() if terms.address.street is None else (terms.address.street,),
        postal_code=terms.address.postal_code,
        city=terms.address.city,
        country=terms.address.country or settings.country,
        tax_number=settings.tax_number,
    )


async def load_partner(db: Db, invoice: Invoice) -> Contact | Vendor:
    """Load the customer of an invoice, even a deleted one."""
    if invoice.customer_type == "contact":
        contacts = await partners.contacts.load_many(db, invoice.company, [invoice.customer])
        return contacts[invoice.customer]
    vendors = await partners.vendors.load_many(db, invoice.company, [invoice.customer])
    return vendors[invoice.customer]


async def load_buyer(db: Db, invoice: Invoice) -> Party:
    """Return the buyer of a draft: the customer, or the billing identity of an erased one."""
    erased_buyer = await find_erased_buyer(db, invoice)
    return erased_buyer or await describe_partner(db, await load_partner(db, invoice))


async def find_erased_buyer(db: Db, invoice: Invoice) -> Party | None:
    """Find the billing identity that a draft keeps of an erased customer."""
    if invoice.buyer is not None:
        return invoice.buyer
    for identity in await billing_identities.list_identities(
        db, invoice.company, [invoice.customer]
    ):
        return Party(
            name=identity.name,
            address_lines=() if identity.address is None else (identity.address,),
            tax_number=identity.tax_number,
        )
    return None


async def describe_partner(db: Db, partner: Contact | Vendor) -> Party:
    """Return a contact or vendor as a buyer, with the address of its place."""
    place = await _find_place(db, partner)
    country = partner.country if isinstance(partner, Vendor) else None
    return Party(
        name=partner.name,
        address_lines=() if place is None else _list_address_lines(place),
        postal_code=None if place is None else place.postal_code,
        city=None if place is None else place.city,
        country=country if place is None else place.country or country,
        tax_number=partner.tax_number,
        email=partner.email,
        phone=partner.phone,
    )


async def _find_place(db: Db, partner: Contact | Vendor) -> PlaceRow | None:
    """Find the place of a partner, else the oldest that they own."""
    uuids = [partner.place] if partner.place is not None else await _list_owned(db, partner)
    rows = await places.places.load_many(db, partner.company, uuids)
    return min(rows.values(), key=lambda row: (row.created_at, row.uuid), default=None)


async def _list_owned(db: Db, partner: Contact | Vendor) -> list[UUID]:
    return list(await owned_places.list_owned_places(db, partner.company, [partner.public_id]))


def _list_address_lines(place: PlaceRow) -> tuple[str, ...]:
    """List the lines above the city. A place without any has its whole address."""
    lines = tuple(line for line in (place.building, place.street1, place.street2) if line)
    return lines or ((place.address,) if place.address and place.city is None else ())
