"""Test messages: an admin checks whether the installation's providers deliver.

A session that somebody left open must not cost much: the budgets allow few messages per recipient
and per company.
"""

from datetime import timedelta
from typing import Annotated, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.accounts import audit
from pannier.accounts.company_settings import phones
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import Conflict, parse_field
from pannier.kit import email
from pannier.notifications import service as notifications
from pannier.notifications.models import MessageRow
from pannier.notifications.texts import compose
from pannier.verification import send_limits
from pannier.verification.texts import sanitise_brand
from pannier.web import budgets
from pannier.web.budgets import Budget

MAX_PER_RECIPIENT: Final = (5, timedelta(days=1))
MAX_PER_COMPANY: Final = (20, timedelta(days=1))
# Longer than all retries take, so that the provider's error remains visible.
LIFETIME: Final = timedelta(hours=1)
RECIPIENT_PURPOSE: Final = "test message budget"
TestChannel = Literal["sms", "email"]


class TestMessageIn(msgspec.Struct):
    """A test message to send."""

    channel: Annotated[TestChannel, Meta(examples=["email"])]
    to: Annotated[
        str,
        Meta(
            description="The recipient's phone number or email address.",
            min_length=1,
            max_length=320,
            examples=["ada@example.com"],
        ),
    ]


class ChannelNotConfigured(Conflict):
    """The installation has no provider for this channel, so nothing would be sent."""

    code = "channel_not_configured"
    title = "This channel has no provider."
    remedy = "Set up a provider for the channel, as described under Message providers."


async def send_test_message(db: Db, company: UUID, data: TestMessageIn) -> MessageRow:
    """Queue a test message."""
    if data.channel not in db.database.channels:
        raise ChannelNotConfigured
    settings = await company_settings.load(db, company)
    if data.channel == "sms":
        recipient = await phones.parse(db, company, data.to, path="to")
        send_limits.check_number(settings.codes, recipient)
    else:
        recipient = parse_field("to", email.normalise, data.to)
    await budgets.spend(
        db.database,
        [
            Budget(
                f"test-message-to:{_hash_recipient(db, company, recipient)}", *MAX_PER_RECIPIENT
            ),
            Budget(f"test-messages:{company}", *MAX_PER_COMPANY),
        ],
    )
    brand = sanitise_brand(settings.branding.name)
    message = await notifications.queue_message(
        db,
        company,
        data.channel,
        recipient,
        compose(settings.locale, "test_message.text", brand=brand),
        compose(settings.locale, "test_message.subject") if data.channel == "email" else "",
        expires_at=db.now + LIFETIME,
    )
    # The recipient is on the message, which is deleted after its retention.
    audit.record(db, company, "message.test_sent", message.public_id, channel=data.channel)
    return message


def _hash_recipient(db: Db, company: UUID, recipient: str) -> str:
    """Hash a recipient, so that budgets do not store phone numbers and email addresses."""
    parts = msgspec.json.encode((company, recipient))
    return db.database.keys.sign(RECIPIENT_PURPOSE, parts).hex()
