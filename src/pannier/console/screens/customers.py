"""Customers: people with an account at a storefront."""

from collections.abc import Mapping
from typing import Any, Final

from pannier.console import access_tokens, columns
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field, Form
from pannier.console.records import Records, read_query
from pannier.console.screens.contacts import MAX_ORDERS
from pannier.files.downloads import Download
from pannier.web.exchange import Exchange
from pannier.web.routes import get

RECORD_PATH: Final = "/int/v1/customers/{customer_id}"
TOKENS: Final = f"{RECORD_PATH}/tokens"
ACCOUNT_STATES: Final = (("false", "Active"), ("true", "Closed"))
REASON: Final = Field(
    name="reason", label="Reason", required=True, placeholder="Requested by phone"
)
MESSAGE: Final = Form(
    (
        Field(name="title", label="Title", required=True, placeholder="Out for delivery"),
        Field(name="text", label="Text", kind="area", required=True),
    )
)


def is_open(customer: Any) -> bool:  # noqa: ANN401 - JSON
    """Return whether the customer can sign in."""
    return customer["closed_at"] is None


def can_restore(customer: Any) -> bool:  # noqa: ANN401 - JSON
    return not is_open(customer) and customer["erased_at"] is None


def can_erase(customer: Any) -> bool:  # noqa: ANN401 - JSON
    return customer["erased_at"] is None


async def load_related(client: ApiClient, customer: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load the customer's orders, transactions and sessions."""
    order_query = {"customer": customer["contact"], "limit": str(MAX_ORDERS)}
    return {
        "orders": (await client.list_rows("/v1/orders", order_query)).rows,
        "transactions": (
            await client.list_rows(
                "/int/v1/transactions", {**order_query, "customer": customer["id"]}
            )
        ).rows,
        **await access_tokens.load_tokens(client, TOKENS, customer_id=customer["id"]),
    }


CUSTOMERS: Final = Records(
    "/int/v1/customers",
    columns=(
        columns.NAME,
        columns.PHONE,
        columns.EMAIL,
        Column("Created", "created_at", "time", wide=True),
        Column("Closed", "closed_at", "time", wide=True),
    ),
    facts=(
        Column("Name", "name"),
        "phone",
        Column("Phone verified", "phone_verified", "switch"),
        "email",
        Column("Email verified", "email_verified", "switch"),
        Column("Password set", "has_password", "switch"),
        "created_at",
        Column("Closed", "closed_at", "time", quiet=True),
        Column("Close reason", "close_reason", quiet=True),
        Column("Erasure scheduled", "erase_at", "time", quiet=True),
        Column("Erased", "erased_at", "time", quiet=True),
        Column("Metadata", "meta", "json", quiet=True),
    ),
    filters=(
        Field(name="query", label="Name, email or phone"),
        Field(name="closed", label="Status", kind="choice", options=ACCOUNT_STATES),
    ),
    actions=(
        Action("push", "Send push notification", "POST", f"{RECORD_PATH}/push", "bell-ring",
               "Push notification queued for all of the customer's devices.", form=MESSAGE,
               condition=is_open),
        Action("close", "Close account", "POST", f"{RECORD_PATH}/close", "user-x",
               "Account closed and all sessions ended.", danger=True, form=Form((REASON,)),
               condition=is_open,
               question="The customer is signed out everywhere. Personal data is erased after the "
                    "grace period. Until then, you can reopen the account."),
        Action("restore", "Reopen account", "POST", f"{RECORD_PATH}/restore", "rotate-ccw",
               "Account reopened.", condition=can_restore),
        Action("erase", "Erase data", "POST", f"{RECORD_PATH}/erase", "trash-2",
               "Erasure started. It takes a few minutes.", danger=True, form=Form((REASON,)),
               condition=can_erase,
               question="Erases all of this customer's personal data now, without the grace "
                        "period. This cannot be undone."),
    ),
    load_related=load_related,
    deletable=False,
    record_template="customers/record.html",
    empty="No customers yet. They sign up in an app or website that uses a storefront key.",
)  # fmt: skip


@get("/customers/{identifier:str}/export")
async def export_customer(exchange: Exchange, identifier: str) -> Download:
    """Download all data of a customer."""
    query = {"format": read_query(exchange).get("format", "zip")}
    download: Download = await ApiClient(exchange).get_response(
        f"{RECORD_PATH}/export", query, customer_id=identifier
    )
    return download


handlers: Final = [
    *CUSTOMERS.make_handlers(),
    export_customer,
    access_tokens.make_end_handler(CUSTOMERS, TOKENS),
]
