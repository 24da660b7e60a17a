"""The doors of partners."""

from litestar import Response, Router

from pannier.accounts import auth
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.partners import queries, service
from pannier.partners.models import Contact, Vendor
from pannier.partners.schemas import (
    ContactChange,
    ContactFilters,
    ContactIn,
    ContactOut,
    VendorChange,
    VendorFilters,
    VendorIn,
    VendorOut,
)
from pannier.web.deletions import Deleted
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import change, delete, get, post
from pannier.web.versions import Match, PreconditionFailed


async def shown_contact(db: Db, contact: Contact) -> ContactOut:
    """Spell a contact with its place."""
    return ContactOut.of(contact, await queries.place_names(db, contact.company, [contact]))


async def shown_vendor(db: Db, vendor: Vendor) -> VendorOut:
    """Spell a vendor with its place."""
    return VendorOut.of(vendor, await queries.place_names(db, vendor.company, [vendor]))


@post("/contacts", problems=[NotFound])
async def create_contact(key: FleetKey, data: ContactIn, db: Db) -> ContactOut:
    """Take a contact in."""
    return await shown_contact(db, await service.create_contact(db, key.company, data))


@get("/contacts/{contact_id:str}")
async def get_contact(key: FleetKey, contact_id: str, db: Db) -> ContactOut:
    """Read a contact."""
    return await shown_contact(db, await queries.contacts.get(db, key.company, contact_id))


@get("/contacts", problems=[NotFound])
async def list_contacts(
    key: FleetKey, filters: ContactFilters, exchange: Exchange, db: Db
) -> Response[list[ContactOut]]:
    """List contacts. Sorted by `created_at` or `name`."""
    found = await queries.contact_page(db, key.company, filters)
    places = await queries.place_names(db, key.company, found.rows)
    return linked(exchange, found, lambda row: ContactOut.of(row, places))


@change("/contacts/{contact_id:str}", problems=[PreconditionFailed])
async def update_contact(
    key: FleetKey, contact_id: str, data: ContactChange, match: Match, db: Db
) -> ContactOut:
    """Change a contact. What is left out stays, and null empties a field."""
    contact = await queries.contacts.take(db, key.company, contact_id)
    match(contact.version)
    return await shown_contact(db, await service.change_contact(db, contact, data))


@delete("/contacts/{contact_id:str}", status_code=200, problems=[PreconditionFailed])
async def delete_contact(key: FleetKey, contact_id: str, match: Match, db: Db) -> Deleted:
    """Delete a contact. What names it goes on naming it."""
    contact = await queries.contacts.take(db, key.company, contact_id)
    match(contact.version)
    await queries.contacts.remove(db, contact)
    return Deleted.of(db, "contact", contact.public_id)


@post("/vendors", problems=[NotFound])
async def create_vendor(key: FleetKey, data: VendorIn, db: Db) -> VendorOut:
    """Take a vendor in."""
    return await shown_vendor(db, await service.create_vendor(db, key.company, data))


@get("/vendors/{vendor_id:str}")
async def get_vendor(key: FleetKey, vendor_id: str, db: Db) -> VendorOut:
    """Read a vendor."""
    return await shown_vendor(db, await queries.vendors.get(db, key.company, vendor_id))


@get("/vendors", problems=[NotFound])
async def list_vendors(
    key: FleetKey, filters: VendorFilters, exchange: Exchange, db: Db
) -> Response[list[VendorOut]]:
    """List vendors. Sorted by `created_at` or `name`."""
    found = await queries.vendor_page(db, key.company, filters)
    places = await queries.place_names(db, key.company, found.rows)
    return linked(exchange, found, lambda row: VendorOut.of(row, places))


@change("/vendors/{vendor_id:str}", problems=[PreconditionFailed])
async def update_vendor(
    key: FleetKey, vendor_id: str, data: VendorChange, match: Match, db: Db
) -> VendorOut:
    """Change a vendor. What is left out stays, and null empties a field."""
    vendor = await queries.vendors.take(db, key.company, vendor_id)
    match(vendor.version)
    return await shown_vendor(db, await service.change_vendor(db, vendor, data))


@delete("/vendors/{vendor_id:str}", status_code=200, problems=[PreconditionFailed])
async def delete_vendor(key: FleetKey, vendor_id: str, match: Match, db: Db) -> Deleted:
    """Delete a vendor. What names it goes on naming it."""
    vendor = await queries.vendors.take(db, key.company, vendor_id)
    match(vendor.version)
    await queries.vendors.remove(db, vendor)
    return Deleted.of(db, "vendor", vendor.public_id)


contact_routes = Router(
    "/v1",
    route_handlers=[
        create_contact, get_contact, list_contacts, update_contact, delete_contact,
    ],
    before_request=auth.fleet("contacts"),
    tags=["Contacts"],
    security=[{"apiKey": []}],
)  # fmt: skip
vendor_routes = Router(
    "/v1",
    route_handlers=[
        create_vendor, get_vendor, list_vendors, update_vendor, delete_vendor,
    ],
    before_request=auth.fleet("vendors"),
    tags=["Vendors"],
    security=[{"apiKey": []}],
)  # fmt: skip
routers = (contact_routes, vendor_routes)
