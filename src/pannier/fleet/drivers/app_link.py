"""The link to the driver app: shown to dispatchers, and sent by SMS or email.

It has the company's app key. That key is public and only allows drivers to sign in, so the link
exposes nothing that an API key protects.
"""

from datetime import timedelta
from typing import Annotated, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.accounts import audit
from pannier.accounts import queries as accounts
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid
from pannier.fleet.models import Driver
from pannier.notifications import service as notifications
from pannier.notifications.texts import compose
from pannier.verification import send_limits, texts
from pannier.web import budgets
from pannier.web.budgets import Budget
from pannier.web.times import Time

# Limits for a driver, for a number or address, and for a company. Changing a driver's number, or
# adding drivers with the same number, does not evade them.
MAX_PER_DRIVER: Final = (5, timedelta(hours=1))
MAX_PER_RECIPIENT: Final = (5, timedelta(days=1))
MAX_PER_COMPANY: Final = (300, timedelta(days=1))
Channel = Literal["sms", "email"]


class AppKeyMissing(Conflict):
    """The link to the driver app requires a valid app key whose full value is stored."""

    code = "app_key_missing"
    title = "The company has no app key."
    remedy = "Create an app key first."


class AppLinkOut(msgspec.Struct):
    """The link to the driver app."""

    link: Annotated[str, Meta(examples=["https://acme.example.com/driver#key=app_live_9mYx…"])]
    last_opened_at: Annotated[
        Time | None, Meta(description="When the driver's app last contacted the server.")
    ]
    test_code: Annotated[
        str | None,
        Meta(description="The code of test numbers. Null for other numbers.", examples=["000000"]),
    ]


class SendAppLinkIn(msgspec.Struct):
    """The channel for the link."""

    channel: Annotated[Channel, Meta(examples=["sms"])]


class AppLinkSent(msgspec.Struct):
    """The recipient of the link."""

    channel: Channel
    sent_to: Annotated[str, Meta(examples=["+6591234567"])]


async def load_link(db: Db, company: UUID) -> str:
    """Make the link from the company's newest app key."""
    key = await accounts.find_app_key(db, company)
    if key is None:
        raise AppKeyMissing("The company has no app key. An admin can create one under Keys.")
    # Browsers never send a fragment, so no server's log contains the key.
    return f"{db.database.base_url.rstrip('/')}/driver#key={key.app_key}"


async def send_link(db: Db, driver: Driver, channel: Channel) -> str:
    """Send a driver the link. Return the recipient's number or address."""
    link = await load_link(db, driver.company)
    settings = await company_settings.load(db, driver.company)
    recipient = driver.phone if channel == "sms" else driver.email
    if not recipient:
        raise Invalid(
            fields=[
                FieldError(
                    "channel",
                    "The driver has no email address. Add one, or choose another channel.",
                )
            ]
        )
    if channel == "sms":
        send_limits.check_number(settings.codes, recipient)
    await budgets.spend(
        db.database,
        [
            Budget(f"app-link:{driver.uuid}", *MAX_PER_DRIVER),
            Budget(f"app-link-to:{driver.company}:{recipient}", *MAX_PER_RECIPIENT),
            Budget(f"app-links:{driver.company}", *MAX_PER_COMPANY),
        ],
    )
    # The company can edit its name, which must not add a link to the message.
    brand = texts.sanitise_brand(settings.branding.name)
    text = compose(settings.locale, "app_link.text", brand=brand, link=link)
    subject = compose(settings.locale, "app_link.subject")
    await notifications.queue_message(db, driver.company, channel, recipient, text, subject)
    audit.record(
        db, driver.company, "driver.app_link_sent", driver.public_id, channel=channel, to=recipient
    )
    return recipient
