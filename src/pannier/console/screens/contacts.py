"""Contacts: people at the ends of deliveries."""

from typing import Final

from pannier.console.forms import Field, Form
from pannier.console.records import Column, Records

TYPES: Final = (("customer", "Customer"), ("contact", "Contact"))
FORM: Final = Form(
    (
        Field(name="name", label="Name", required=True, nullable=False),
        Field(name="email", label="E-mail", kind="email"),
        Field(name="phone", label="Phone", kind="tel", help="With the country code: +65 …"),
        Field(name="type", label="Type", kind="choice", options=TYPES, nullable=False),
    )
)
CONTACTS: Final = Records(
    "contacts",
    noun="contact",
    api="/v1/contacts",
    name="contact_id",
    columns=(
        Column("Name", "name", "link"),
        Column("Phone", "phone", "phone"),
        Column("E-mail", "email", "email"),
        Column("Type", "type", wide=True),
        Column("Made", "created_at", "time", wide=True),
    ),
    filters=(Field(name="query", label="Name, e-mail or phone"),),
    form=FORM,
    empty="Nobody yet. A contact is made here, or with the first order that names one.",
)
handlers: Final = CONTACTS.handlers()
