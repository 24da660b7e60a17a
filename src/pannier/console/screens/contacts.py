"""Contacts: senders and recipients of orders."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from pannier.console import columns, fields
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field, Form
from pannier.console.record_names import load_labels
from pannier.console.records import Records

TYPES: Final = (("customer", "Customer"), ("contact", "Contact"))
MAX_ORDERS: Final = 10
MAX_TRANSACTIONS: Final = 20
JOB_TITLE: Final = Field(name="title", label="Job title", placeholder="Warehouse manager")
CHANNEL_FIELDS: Final = (
    fields.EMAIL,
    Field(name="phone", label="Phone", kind="tel", help="Include the country code, such as +65."),
    Field(name="locale", label="Language", placeholder="de", help="Used for messages."),
)
EXTRA_FIELDS: Final = (
    Field(name="place", label="Place", kind="record", resource="places",
          help="Type to search."),
    Field(name="internal_id", label="Internal ID", help="The ID in your own system."),
    Field(name="meta", label="Metadata", kind="json", nullable=False,
          help="Any JSON object."),
)  # fmt: skip
BILLING_FIELDS: Final = (
    Field(name="price_group", label="Price group", placeholder="wholesale",
          help="Service rates for this group apply."),
    Field(name="default_service", label="Default service rate", kind="record",
          resource="service-rates", placeholder="Type to search",
          help="Preferred when an order is dispatched without an accepted quote."),
    Field(name="payment_terms_days", label="Payment terms (days)", kind="number",
          help="Days until an invoice is due."),
    Field(name="tax_number", label="Tax number", placeholder="DE123456789"),
)  # fmt: skip
FACTS: Final = (
    columns.PHONE,
    columns.EMAIL,
    Column("Language", "locale", quiet=True),
    columns.TYPE,
    Column("Place", "place", "link", to="places", quiet=True),
    Column("Internal ID", "internal_id", "mono", quiet=True),
    Column("Price group", "price_group", quiet=True),
    Column("Default service rate", "default_service", "link", to="service-rates", quiet=True),
    Column("Payment terms (days)", "payment_terms_days", "number", quiet=True),
    Column("Tax number", "tax_number", "mono", quiet=True),
    Column("Metadata", "meta", "json", quiet=True),
    columns.CREATED,
    Column("Updated", "updated_at", "ago"),
)
SEARCH: Final = Field(name="query", label="Name, email or phone")
BALANCE: Final = Field(
    name="balance", label="Balance", kind="choice",
    options=(("owed", "Amount due"), ("credit", "Credit")),
)  # fmt: skip
BALANCES: Final = Column("Balance", "balances", "balances", wide=True)


async def load_related(role: str, client: ApiClient, partner: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load a partner's account, and the latest orders in which the partner has this role."""
    orders = await client.list_rows("/v1/orders", {role: partner["id"], "limit": str(MAX_ORDERS)})
    transactions = [
        transaction
        for balance in ("owed", "credit")
        for transaction in (
            await client.list_rows(
                "/int/v1/transactions",
                {"customer": partner["id"], "balance": balance, "limit": str(MAX_TRANSACTIONS)},
            )
        ).rows
    ]
    order_ids = [transaction["order"] for transaction in transactions if transaction["order"]]
    return {
        "orders": orders.rows,
        "by": role,
        "open_transactions": transactions,
        "order_names": await load_labels(client, order_ids),
    }


CONTACTS: Final = Records(
    "/v1/contacts",
    columns=(
        columns.NAME,
        columns.PHONE,
        columns.EMAIL,
        columns.TYPE,
        BALANCES,
        columns.CREATED,
    ),
    facts=(Column("Name", "name"), Column("Job title", "title", quiet=True), *FACTS),
    filters=(SEARCH, Field(name="type", label="Type", kind="choice", options=TYPES), BALANCE),
    form=Form(
        (
            fields.NAME,
            JOB_TITLE,
            *CHANNEL_FIELDS,
            Field(
                name="type",
                label="Type",
                kind="choice",
                options=TYPES,
                nullable=False,
                default="contact",
            ),
            *BILLING_FIELDS,
            *EXTRA_FIELDS,
        )
    ),
    load_related=partial(load_related, "customer"),
    record_template="contacts/record.html",
    empty="No contacts yet. Create one here, or with your first order.",
)
handlers: Final = CONTACTS.make_handlers()
