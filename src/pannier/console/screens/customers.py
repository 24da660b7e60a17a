"""Customers: people with an account at a shop."""

from collections.abc import Mapping
from typing import Any, Final

from pannier.console import columns, sign_ins
from pannier.console.columns import Column
from pannier.console.desk import Desk
from pannier.console.forms import Field, Form
from pannier.console.records import Action, Records, asked
from pannier.console.screens.contacts import LATEST
from pannier.files.downloads import Download
from pannier.web.exchange import Exchange
from pannier.web.routes import get

ONE: Final = "/int/v1/customers/{customer_id}"
TOKENS: Final = f"{ONE}/tokens"
STANDINGS: Final = (("false", "Open"), ("true", "Closed"))
REASON: Final = Field(name="reason", label="Reason", required=True, placeholder="Asked by phone.")
MESSAGE: Final = Form(
    (
        Field(name="title", label="Title", required=True, placeholder="On the way"),
        Field(name="text", label="Text", kind="area", required=True),
    )
)


def is_open(customer: Any) -> bool:  # noqa: ANN401 - JSON
    """Tell whether a customer can sign in."""
    return customer["closed_at"] is None


def restorable(customer: Any) -> bool:  # noqa: ANN401 - JSON
    """Tell whether a closed account can be opened again."""
    return not is_open(customer) and customer["erased_at"] is None


def erasable(customer: Any) -> bool:  # noqa: ANN401 - JSON
    """Tell whether there is anything left to erase."""
    return customer["erased_at"] is None


async def belongings(desk: Desk, customer: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Find what a customer has: orders, what is owed for them, sign-ins."""
    latest = {"customer": customer["contact"], "limit": str(LATEST)}
    return {
        "orders": (await desk.rows("/v1/orders", latest)).rows,
        "transactions": (
            await desk.rows("/int/v1/transactions", {**latest, "customer": customer["id"]})
        ).rows,
        **await sign_ins.shown(desk, TOKENS, customer_id=customer["id"]),
    }


CUSTOMERS: Final = Records(
    "/int/v1/customers",
    columns=(
        columns.NAME,
        columns.PHONE,
        columns.EMAIL,
        Column("Since", "created_at", "time", wide=True),
        Column("Closed", "closed_at", "time", wide=True),
    ),
    facts=(
        Column("Name", "name"),
        "phone",
        Column("Phone is verified", "phone_verified", "switch"),
        "email",
        Column("E-mail is verified", "email_verified", "switch"),
        Column("Has a password", "has_password", "switch"),
        "created_at",
        Column("Closed", "closed_at", "time", quiet=True),
        Column("Why", "close_reason", quiet=True),
        Column("To be erased", "erase_at", "time", quiet=True),
        Column("Erased", "erased_at", "time", quiet=True),
        Column("The app keeps", "meta", "json", quiet=True),
    ),
    filters=(
        Field(name="query", label="Name, e-mail or phone"),
        Field(name="closed", label="Accounts", kind="choice", options=STANDINGS),
    ),
    actions=(
        Action("push", "Push message", "POST", f"{ONE}/push", "bell-ring",
               "The message is on its way to every device of the customer.", form=MESSAGE,
               when=is_open),
        Action("close", "Close", "POST", f"{ONE}/close", "user-x",
               "Closed. Every sign-in has ended.", danger=True, form=Form((REASON,)), when=is_open,
               sure="The customer is signed out everywhere, and erased after the grace; until then "
                    "you can open the account again."),
        Action("restore", "Open again", "POST", f"{ONE}/restore", "rotate-ccw",
               "The account is open again.", when=restorable),
        Action("erase", "Erase", "POST", f"{ONE}/erase", "trash-2",
               "It will be erased within minutes.", danger=True, form=Form((REASON,)),
               when=erasable,
               sure="Everything that is kept of this person is forgotten, everywhere, without "
                    "waiting for the grace. Nobody can take this back."),
    ),
    beside=belongings,
    deletes=False,
    reading="customers/record.html",
    empty="Nobody yet. Customers sign up by themselves, in an app or shop with a storefront key.",
)  # fmt: skip


@get("/customers/{identifier:str}/export")
async def export(exchange: Exchange, identifier: str) -> Download:
    """Download all that is kept of a customer."""
    query = {"format": asked(exchange).get("format", "zip")}
    answer: Download = await Desk(exchange).answer(f"{ONE}/export", query, customer_id=identifier)
    return answer


handlers: Final = [*CUSTOMERS.handlers(), export, sign_ins.ending(CUSTOMERS, TOKENS)]
