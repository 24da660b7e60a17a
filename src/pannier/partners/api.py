"""The doors of partners."""

from typing import Final

from pannier.accounts import auth
from pannier.errors import NotFound
from pannier.partners import queries, service
from pannier.partners.schemas import ContactOut, VendorOut
from pannier.web.resources import Problems, Resource

PROBLEMS: Final[Problems] = {"create": [NotFound], "list": [NotFound]}

contacts: Final = Resource(
    "contacts",
    queries.contacts,
    out=ContactOut,
    create=service.create_contact,
    change=service.change_contact,
    page=queries.contact_page,
    show=queries.shown_contacts,
    problems=PROBLEMS,
)
vendors: Final = Resource(
    "vendors",
    queries.vendors,
    out=VendorOut,
    create=service.create_vendor,
    change=service.change_vendor,
    page=queries.vendor_page,
    show=queries.shown_vendors,
    problems=PROBLEMS,
)
routers: Final = (
    contacts.router("/v1", auth.fleet("contacts"), tag="Contacts", security="apiKey"),
    vendors.router("/v1", auth.fleet("vendors"), tag="Vendors", security="apiKey"),
)
