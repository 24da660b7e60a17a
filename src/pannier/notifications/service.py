"""Sending and cancellation of messages."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts import queries as accounts
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.notifications import sandbox
from pannier.notifications.models import ChannelName, MessageRow, NewsContext
from pannier.notifications.texts import compose

CHANNEL: Final = "pannier_messages"  # notified when there is a new message
# Time to live of messages without `expires_at`.
DEFAULT_LIFETIME: Final = timedelta(days=3)
UNWANTED: Final = "Not sent: the recipient unsubscribed."


async def queue_message(
    db: Db,
    company: UUID,
    channel: ChannelName,
    recipient: str,
    text: str,
    subject: str = "",
    *,
    secret: bool = False,
    expires_at: datetime | None = None,
    store: UUID | None = None,
    customer: UUID | None = None,
    news_context: NewsContext | None = None,
    attachment: str | None = None,
) -> MessageRow:
    """Queue a message. The worker sends it after the transaction commits.

    The text of a `secret` message is deleted once a provider has accepted it, so put nothing secret
    into the subject. The message is not sent after `expires_at`, by default three days from now.
    The sender's name comes from the settings of the `store` or of the company. Pass `news_context`
    for news. An `attachment` is the public id of a document; channels that have no attachments
    send the text only.
    """
    settings = await company_settings.load(db, company, store)
    message = MessageRow(
        **db.new_row_fields(company, "message"),
        channel=channel,
        recipient=recipient,
        subject=subject,
        body=text,
        secret=secret,
        state="drawer"
        if sandbox.should_only_store(settings, channel, recipient, secret=secret)
        else "due",
        due_at=db.now,
        expires_at=expires_at or db.now + DEFAULT_LIFETIME,
        sender=settings.get_sender_name(channel),
        customer=customer,
        attachment=attachment,
        **({} if news_context is None else msgspec.structs.asdict(news_context)),
    )
    await db.insert("messages", message)
    # Without this notification, the worker would find the message by polling.
    db.notify(CHANNEL)
    return message


async def email_admins(db: Db, company: UUID, key: str, **values: object) -> None:
    """Email a text from the catalogue to a company's admins, in the company's language."""
    locale = (await company_settings.load(db, company)).locale
    subject = compose(locale, f"{key}.subject", **values)
    text = compose(locale, f"{key}.text", **values)
    for email in await accounts.list_admin_emails(db, company):
        await queue_message(db, company, "email", email, text, subject)


async def cancel_unsent_news(
    db: Db,
    company: UUID,
    recipients: Sequence[str],
    customer: UUID | None,
    order_id: str | None = None,
) -> None:
    """Cancel a recipient's unsent news about an order, or about all orders."""
    await db.execute(
        """update messages set state = 'failed', error = :error
           where company = :company and state = 'due' and kind is not null
             and (recipient = any(:to) or customer = :customer)
             and (:order_id::text is null or order_id = :order_id)""",
        company=company,
        order_id=order_id,
        to=list(recipients),
        customer=customer,
        error=UNWANTED,
    )


async def delete_unsent_message(db: Db, company: UUID, message: UUID) -> None:
    """Delete a message that was written in the same transaction."""
    await db.execute(
        "delete from messages where company = :company and uuid = :message and state = 'due'",
        company=company,
        message=message,
    )
