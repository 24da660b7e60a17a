"""HTTP routers for contacts and vendors."""

from typing import Final

from pannier.accounts import doors
from pannier.errors import NotFound
from pannier.partners import queries, service
from pannier.web.resources import Problems, Resource

PROBLEMS: Final[Problems] = {"create": [NotFound], "list": [NotFound]}

contacts: Final = Resource(
    queries.contacts,
    create=service.create_contact,
    change=service.change_contact,
    page=queries.contact_page,
    show=queries.shown_contacts,
    problems=PROBLEMS,
)
vendors: Final = Resource(
    queries.vendors,
    create=service.create_vendor,
    change=service.change_vendor,
    page=queries.vendor_page,
    show=queries.shown_vendors,
    problems=PROBLEMS,
)
routers: Final = (
    doors.for_keys("Contacts", "contacts", contacts.handlers()),
    doors.for_keys("Vendors", "vendors", vendors.handlers()),
)
