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
from pannier.news.models import Told
from pannier.news.phrasing import Phrased
from pannier.news.recipients import Recipient
from pannier.notifications import service as notifications
from pannier.notifications.models import About
from pannier.verification import sending
from pannier.web import budgets
from pannier.web.budgets import Budget

DAY: Final = timedelta(days=1)
# A limit against abuse, because orders can be placed for any phone number.
MOST_TO_ONE: Final = 60
COUNTING: Final = "news budget"


class Message(msgspec.Struct, frozen=True):
    """News to send to a recipient."""

    company: UUID
    kind: Kind
    to: Recipient
    said: Phrased
    until: datetime
    about: About


async def claim(db: Db, told: Told) -> bool:
    """Record that news is being sent. Return False if it was sent before."""
    return bool(
        await db.execute(
            f"""insert into news ({columns(Told)})
                values ({parameters(Told)})
                on conflict (order_uuid, subject, person, kind, attempt) do nothing""",
            **msgspec.structs.asdict(told),
        )
    )


async def send(db: Db, settings: CompanySettings, message: Message) -> NewsChannel | None:
    """Send news by the first channel that reaches the recipient, and return the channel."""
    for channel in _ways(db, getattr(settings.news, message.kind)):
        if await _WAYS[channel](db, settings, message):
            return channel
    return None


def _ways(db: Db, wanted: Sequence[NewsChannel]) -> Sequence[NewsChannel]:
    """List the channels with a provider, or all if none has one: the news can then be read."""
    provided = db.database.channels
    return [channel for channel in wanted if channel in provided] if provided else wanted


async def _push(db: Db, _: CompanySettings, message: Message) -> bool:
    account, said = message.to.customer, message.said
    if account is None:
        return False
    reached = await devices.push(
        db, message.company, account.uuid, said.subject, said.text, message.until, message.about
    )
    return reached > 0


async def _email(db: Db, _: CompanySettings, message: Message) -> bool:
    address = message.to.email
    if not address:
        return False
    await _write(db, message, "email", address, message.said.email)
    return True


async def _sms(db: Db, settings: CompanySettings, message: Message) -> bool:
    number = message.to.phone
    if not number or not _is_sent_to(settings, number):
        return False
    if not await _has_room(db, settings, message, number):
        return False
    await _write(db, message, "sms", number, message.said.text)
    return True


async def _write(db: Db, message: Message, channel: NewsChannel, to: str, text: str) -> None:
    await notifications.send(
        db,
        message.company,
        channel,
        to,
        text,
        message.said.subject if channel == "email" else "",
        expires_at=message.until,
        store=message.to.store,
        customer=None if message.to.customer is None else message.to.customer.uuid,
        about=message.about,
    )


def _is_sent_to(settings: CompanySettings, number: str) -> bool:
    """Return whether the company sends SMS to numbers of this type and country."""
    try:
        sending.check_number(settings.codes, number)
    except Problem:
        return False
    return True


async def spent(db: Db, pays: UUID) -> int:
    """Count the news by SMS within 24 hours, of a company or of a store."""
    return await budgets.spent(db, _pool(pays), DAY)


def _pool(pays: UUID) -> str:
    return f"news-sms:{pays}"


def _nameless(db: Db, message: Message, number: str) -> str:
    """Return a pseudonym for a phone number, so that budgets do not store the number."""
    told = msgspec.json.encode((message.company, number))
    return db.database.keys.sign(COUNTING, told).hex()


async def _has_room(db: Db, settings: CompanySettings, message: Message, number: str) -> bool:
    """Take one SMS from the daily budgets of the company or store and of the phone number.

    Return False if either is used up. A rollback of the transaction gives the SMS back. One process
    at a time sends a company's news, so the check and the spending cannot race.
    """
    most, key = settings.news.sms_per_day, _pool(message.to.store or message.company)
    own = Budget(f"news-sms-to:{_nameless(db, message, number)}", MOST_TO_ONE, DAY)
    if most == 0 or await budgets.wait(db, [own]) > 0:
        return False
    try:
        await budgets.take(db, [own, Budget(key, most, DAY)])
    except TooManyRequests:
        await _tell_admins(db, message.company, key, most)
        return False
    return True


async def _tell_admins(db: Db, company: UUID, key: str, most: int) -> None:
    """E-mail the admins, at most once a day, that the SMS budget is used up."""
    try:
        await budgets.take(db, [Budget(f"{key}:told", 1, DAY)])
    except TooManyRequests:
        return
    await notifications.tell_admins(db, company, "sms_limit", limit=most)


_WAYS: Final = {"push": _push, "sms": _sms, "email": _email}
