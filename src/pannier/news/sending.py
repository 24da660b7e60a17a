"""Sending of news by the first channel that reaches the recipient, within the SMS budget."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings.models import CompanySettings
from pannier.accounts.company_settings.news import Kind, NewsChannel
from pannier.customers import devices
from pannier.db import Db, columns, parameters
from pannier.errors import Problem, TooManyRequests
from pannier.news.models import NewsRecord
from pannier.news.phrasing import ComposedNews
from pannier.news.recipients import Recipient
from pannier.notifications import service as notifications
from pannier.notifications.models import NewsContext
from pannier.verification import send_limits
from pannier.web import budgets
from pannier.web.budgets import Budget

DAY: Final = timedelta(days=1)
# A limit against abuse, because orders can be placed for any phone number.
MAX_DAILY_SMS_PER_NUMBER: Final = 60
BUDGET_PURPOSE: Final = "news budget"


class NewsMessage(msgspec.Struct, frozen=True):
    """News to send to a recipient."""

    company: UUID
    kind: Kind
    recipient: Recipient
    content: ComposedNews
    expires_at: datetime
    context: NewsContext


async def claim_news(db: Db, record: NewsRecord) -> bool:
    """Record that news is being sent. Return False if it was sent before."""
    return bool(
        await db.execute(
            f"""insert into news ({columns(NewsRecord)})
                values ({parameters(NewsRecord)})
                on conflict (order_uuid, subject, person, kind, attempt) do nothing""",
            **msgspec.structs.asdict(record),
        )
    )


async def send_news(db: Db, settings: CompanySettings, message: NewsMessage) -> NewsChannel | None:
    """Send news by the first channel that reaches the recipient, and return the channel."""
    for channel in _list_channels(db, getattr(settings.news, message.kind)):
        if await _SENDERS[channel](db, settings, message):
            return channel
    return None


def _list_channels(db: Db, preferred_channels: Sequence[NewsChannel]) -> Sequence[NewsChannel]:
    """List the channels with a provider, or all without any provider, as in development."""
    available_channels = db.database.channels
    return (
        [channel for channel in preferred_channels if channel in available_channels]
        if available_channels
        else preferred_channels
    )


async def _send_push(db: Db, _: CompanySettings, message: NewsMessage) -> bool:
    account, content = message.recipient.customer, message.content
    if account is None:
        return False
    device_count = await devices.push_to_devices(
        db,
        message.company,
        account.uuid,
        content.subject,
        content.text,
        message.expires_at,
        message.context,
    )
    return device_count > 0


async def _send_email(db: Db, _: CompanySettings, message: NewsMessage) -> bool:
    address = message.recipient.email
    if not address:
        return False
    await _send_message(db, message, "email", address, message.content.email)
    return True


async def _send_sms(db: Db, settings: CompanySettings, message: NewsMessage) -> bool:
    number = message.recipient.phone
    if not number or not _can_send_sms(settings, number):
        return False
    if not await _take_from_budget(db, settings, message, number):
        return False
    await _send_message(db, message, "sms", number, message.content.text)
    return True


async def _send_message(
    db: Db, message: NewsMessage, channel: NewsChannel, address: str, text: str
) -> None:
    await notifications.queue_message(
        db,
        message.company,
        channel,
        address,
        text,
        message.content.subject if channel == "email" else "",
        expires_at=message.expires_at,
        store=message.recipient.store,
        customer=None if message.recipient.customer is None else message.recipient.customer.uuid,
        news_context=message.context,
    )


def _can_send_sms(settings: CompanySettings, number: str) -> bool:
    """Return whether the company sends SMS to numbers of this type and country."""
    try:
        send_limits.check_number(settings.codes, number)
    except Problem:
        return False
    return True


async def count_sent_sms(db: Db, payer: UUID) -> int:
    """Count the news by SMS within 24 hours, of a company or of a store."""
    return await budgets.count_hits(db, _make_budget_key(payer), DAY)


def _make_budget_key(payer: UUID) -> str:
    return f"news-sms:{payer}"


def _pseudonymize_number(db: Db, message: NewsMessage, number: str) -> str:
    """Return a pseudonym for a phone number, so that budgets do not store the number."""
    recipient = msgspec.json.encode((message.company, number))
    return db.database.keys.sign(BUDGET_PURPOSE, recipient).hex()


async def _take_from_budget(
    db: Db, settings: CompanySettings, message: NewsMessage, number: str
) -> bool:
    """Take one SMS from the daily budgets of the company or store and of the phone number.

    Return False if either is used up. A rollback of the transaction gives the SMS back. One process
    at a time sends a company's news, so the check and the spending cannot race.
    """
    daily_limit, key = (
        settings.news.sms_per_day,
        _make_budget_key(message.recipient.store or message.company),
    )
    number_budget = Budget(
        f"news-sms-to:{_pseudonymize_number(db, message, number)}", MAX_DAILY_SMS_PER_NUMBER, DAY
    )
    if daily_limit == 0 or await budgets.find_wait_seconds(db, [number_budget]) > 0:
        return False
    try:
        await budgets.spend_in_transaction(db, [number_budget, Budget(key, daily_limit, DAY)])
    except TooManyRequests:
        await _email_admins(db, message.company, key, daily_limit)
        return False
    return True


async def _email_admins(db: Db, company: UUID, key: str, limit: int) -> None:
    """Email the admins, at most once a day, that the SMS budget is used up."""
    try:
        await budgets.spend_in_transaction(db, [Budget(f"{key}:told", 1, DAY)])
    except TooManyRequests:
        return
    await notifications.email_admins(db, company, "sms_limit", limit=limit)


_SENDERS: Final = {"push": _send_push, "sms": _send_sms, "email": _send_email}
