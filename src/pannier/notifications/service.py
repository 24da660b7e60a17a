"""Verbs of notifications."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts import queries as accounts
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.notifications import trials
from pannier.notifications.models import About, ChannelName, Message
from pannier.notifications.texts import compose

CHANNEL: Final = "pannier_messages"  # of the database, by which the worker hears of a message
# For how long something may be told that says nothing of its own about it.
LIFE: Final = timedelta(days=3)
UNWANTED: Final = "Not sent: the recipient wants no more news."


async def send(
    db: Db,
    company: UUID,
    channel: ChannelName,
    to: str,
    text: str,
    subject: str = "",
    *,
    secret: bool = False,
    expires_at: datetime | None = None,
    store: UUID | None = None,
    customer: UUID | None = None,
    about: About | None = None,
) -> Message:
    """Write a message; it leaves the house after the transaction, by the worker.

    The text of a `secret` one is forgotten once a provider has it; put nothing secret into the
    subject. After `expires_at`, or a few days, it is not sent any more. It comes from the sender
    that the company has set, or the `store`. News say what they are `about`.
    """
    settings = await company_settings.of(db, company, store)
    message = Message(
        **db.begun(company, "message"),
        channel=channel,
        recipient=to,
        subject=subject,
        body=text,
        secret=secret,
        state="drawer" if trials.stays(settings, channel, to, secret=secret) else "due",
        due_at=db.now,
        expires_at=expires_at or db.now + LIFE,
        sender=settings.sender(channel),
        customer=customer,
        **({} if about is None else msgspec.structs.asdict(about)),
    )
    await db.insert("messages", message)
    # The worker listens there; without the notice it would find the message by looking.
    db.ring(CHANNEL)
    return message


async def tell_admins(db: Db, company: UUID, key: str, **values: object) -> None:
    """Email a company's admins a message of the catalogue, in the company's language."""
    locale = (await company_settings.of(db, company)).locale
    subject = compose(locale, f"{key}.subject", **values)
    text = compose(locale, f"{key}.text", **values)
    for email in await accounts.admins(db, company):
        await send(db, company, "email", email, text, subject)


async def withhold(
    db: Db, company: UUID, to: Sequence[str], customer: UUID | None, order_id: str | None = None
) -> None:
    """Withhold the news for somebody that have not been sent yet: of one order, or all."""
    await db.execute(
        """update messages set state = 'failed', error = :error
           where company = :company and state = 'due' and kind is not null
             and (recipient = any(:to) or customer = :customer)
             and (:order_id::text is null or order_id = :order_id)""",
        company=company,
        order_id=order_id,
        to=list(to),
        customer=customer,
        error=UNWANTED,
    )


async def take_back(db: Db, company: UUID, message: UUID) -> None:
    """Undo a `send` of the same transaction, before anybody could see it."""
    await db.execute(
        "delete from messages where company = :company and uuid = :message and state = 'due'",
        company=company,
        message=message,
    )
