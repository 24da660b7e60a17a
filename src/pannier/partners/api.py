"""HTTP routers for contacts and vendors."""

from typing import Final

from pannier.accounts import api_routers
from pannier.errors import NotFound
from pannier.partners import queries, service
from pannier.web.resources import Problems, Resource

PROBLEMS: Final[Problems] = {"create": [NotFound], "list": [NotFound]}

contacts: Final = Resource(
    queries.contacts,
    create=service.create_contact,
    change=service.change_contact,
    page=queries.list_contacts,
    show=queries.load_contact_outs,
    problems=PROBLEMS,
)
vendors: Final = Resource(
    queries.vendors,
    create=service.create_vendor,
    change=service.change_vendor,
    page=queries.list_vendors,
    show=queries.load_vendor_outs,
    problems=PROBLEMS,
)
routers: Final = (
    api_routers.api_router("Contacts", "contacts", contacts.make_handlers()),
    api_routers.api_router("Vendors", "vendors", vendors.make_handlers()),
)
