"""Contacts: senders and recipients of orders."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from pannier.console import columns, fields
from pannier.console.columns import Column
from pannier.console.desk import Desk
from pannier.console.forms import Field, Form
from pannier.console.records import Records

TYPES: Final = (("customer", "Customer"), ("contact", "Contact"))
LATEST: Final = 10
NAMED: Final = (
    fields.NAME,
    Field(name="title", label="Title", placeholder="Warehouse manager"),
    fields.EMAIL,
    Field(name="phone", label="Phone", kind="tel", help="Include the country code: +65 …"),
    Field(name="locale", label="Language", placeholder="de", help="Used for notifications."),
)
KEPT: Final = (
    Field(name="place", label="Place", kind="record", resource="places",
          help="Type to search."),
    Field(name="internal_id", label="Internal ID", help="The ID in your own system."),
    Field(name="meta", label="Metadata", kind="json", nullable=False,
          help="Any JSON object."),
)  # fmt: skip
FACTS: Final = (
    Column("Name", "name"),
    Column("Title", "title", quiet=True),
    columns.PHONE,
    columns.EMAIL,
    Column("Language", "locale", quiet=True),
    columns.TYPE,
    Column("Place", "place", "link", to="places", quiet=True),
    Column("Internal ID", "internal_id", "mono", quiet=True),
    Column("Metadata", "meta", "json", quiet=True),
    columns.MADE,
    Column("Updated", "updated_at", "ago"),
)
SEARCH: Final = Field(name="query", label="Name, e-mail or phone")


async def latest_orders(by: str, desk: Desk, partner: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load the latest orders in which the partner has this role."""
    asked = {by: partner["id"], "limit": str(LATEST)}
    return {"orders": (await desk.rows("/v1/orders", asked)).rows, "by": by}


CONTACTS: Final = Records(
    "/v1/contacts",
    columns=(
        columns.NAME,
        columns.PHONE,
        columns.EMAIL,
        columns.TYPE,
        columns.MADE,
    ),
    facts=FACTS,
    filters=(SEARCH, Field(name="type", label="Type", kind="choice", options=TYPES)),
    form=Form(
        (
            *NAMED,
            Field(name="type", label="Type", kind="choice", options=TYPES, nullable=False),
            *KEPT,
        )
    ),
    beside=partial(latest_orders, "customer"),
    reading="contacts/record.html",
    empty="No contacts yet. Create one here, or with your first order.",
)
handlers: Final = CONTACTS.handlers()
