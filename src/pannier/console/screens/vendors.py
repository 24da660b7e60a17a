"""Vendors: companies that fulfill orders for the company."""

from functools import partial
from typing import Final

import msgspec

from pannier.console import columns, fields
from pannier.console.columns import Column
from pannier.console.forms import Field, Form, to_options
from pannier.console.records import Records
from pannier.console.screens.contacts import (
    BALANCE,
    BALANCES,
    BILLING_FIELDS,
    CHANNEL_FIELDS,
    EXTRA_FIELDS,
    FACTS,
    JOB_TITLE,
    SEARCH,
    load_related,
)
from pannier.partners.models import Status

STATUSES: Final = to_options(Status)
VENDORS: Final = Records(
    "/v1/vendors",
    columns=(
        columns.NAME,
        columns.STATUS,
        columns.PHONE,
        Column("Email", "email", "email", wide=True),
        columns.COUNTRY,
        BALANCES,
        columns.CREATED,
    ),
    facts=(
        "status",
        Column("Name", "name"),
        Column("Contact's job title", "title", quiet=True),
        *FACTS,
        Column("Business ID", "business_id", "mono", quiet=True),
        Column("Website", "website_url", quiet=True),
        Column("Country", "country", quiet=True),
    ),
    filters=(
        SEARCH,
        fields.make_status_field(STATUSES),
        Field(name="country", label="Country", placeholder="Country code, such as SG"),
        BALANCE,
    ),
    form=Form(
        (
            fields.NAME,
            msgspec.structs.replace(JOB_TITLE, label="Contact's job title"),
            *CHANNEL_FIELDS,
            fields.make_status_field(STATUSES),
            Field(name="business_id", label="Business ID", placeholder="201912345K"),
            Field(name="website_url", label="Website", kind="url", placeholder="https://"),
            fields.COUNTRY,
            *BILLING_FIELDS,
            *EXTRA_FIELDS,
        )
    ),
    load_related=partial(load_related, "facilitator"),
    record_template="contacts/record.html",
    empty="No vendors yet. Add a carrier that fulfills orders for you.",
)
handlers: Final = VENDORS.make_handlers()
