"""Opt-outs: the holder of a tracking link can stop news about this delivery, or of the company.

Stopping all news of a company applies to every phone number, address and account of the recipient,
also for future deliveries. If several people wait for the same delivery, only a link that was sent
to one of them has an effect, and only for this person.

An account may have an unverified phone number or address that belongs to another person. The
account can stop news to it, but cannot resume it if that person stopped it.
"""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from pannier.db import Db
from pannier.news import recipients
from pannier.news.recipients import Recipient
from pannier.notifications import service as notifications
from pannier.orders.queries import ORDERS
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import TrackingNumber

NewsState = Literal["on", "delivery_off", "all_off", "several", "nobody"]


async def load_news_state(db: Db, number: TrackingNumber, person: str = "") -> NewsState:
    """Return whether the recipient receives news.

    `several` means that more than one person waits and the link names none of them.
    """
    all_recipients = await _list_recipients(db, number)
    people = _select_recipients(all_recipients, person)
    if not people:
        return "several" if all_recipients else "nobody"
    opted_out = await list_opted_out_addresses(
        db, number.company, [address for recipient in people for address in recipient.addresses]
    )
    if all(opted_out & set(recipient.addresses) for recipient in people):
        return "all_off"
    muted_people = await list_muted_people(db, number.company, number.order_uuid)
    return (
        "delivery_off"
        if all(recipient.person.uuid in muted_people for recipient in people)
        else "on"
    )


async def mute_delivery(db: Db, number: TrackingNumber, person: str = "") -> None:
    """Stop news about this delivery."""
    aggregate = await _load_aggregate(db, number)
    for recipient in _select_recipients(
        await recipients.load_waiting_recipients(db, aggregate, number), person
    ):
        await db.execute(
            """insert into news_muted (company, order_uuid, person, created_at)
               values (:company, :order, :person, :now) on conflict do nothing""",
            company=number.company,
            order=number.order_uuid,
            person=recipient.person.uuid,
            now=db.now,
        )
        await _withhold_news(db, number.company, recipient, aggregate.row.public_id)


async def list_muted_people(db: Db, company: UUID, order: UUID) -> set[UUID]:
    """Return the people who opted out of news about an order."""
    people: list[UUID] | None = await db.fetch_value(
        """select array_agg(person) from news_muted
           where company = :company and order_uuid = :order""",
        company=company,
        order=order,
    )
    return set(people or ())


async def opt_out(db: Db, number: TrackingNumber, person: str = "") -> None:
    """Stop all of a company's news to the recipients of a delivery, or to one of them.

    An opt-out for a verified address replaces an earlier one by an account that had not verified
    that address.
    """
    for recipient in _select_recipients(await _list_recipients(db, number), person):
        await db.execute(
            """insert into news_quiet (company, recipient, created_at)
               select :company, recipient, :now from unnest(:addresses::text[]) as recipient
               on conflict (company, recipient) do update set created_at = :now
               where news_quiet.recipient <> all(:unverified_keys)""",
            company=number.company,
            addresses=sorted(recipient.addresses),
            unverified_keys=[*recipient.unverified_addresses, _get_account_key(recipient)],
            now=db.now,
        )
        await _withhold_news(db, number.company, recipient)


async def _withhold_news(
    db: Db, company: UUID, recipient: Recipient, order_id: str | None = None
) -> None:
    account = None if recipient.customer is None else recipient.customer.uuid
    addresses = [address for address in (recipient.phone, recipient.email) if address]
    await notifications.cancel_unsent_news(db, company, addresses, account, order_id)


async def resume_news(db: Db, number: TrackingNumber, person: str = "") -> None:
    """Resume news about this delivery and all others.

    At an unverified address, an account takes back only its own opt-out.
    """
    for recipient in _select_recipients(await _list_recipients(db, number), person):
        await db.execute(
            """delete from news_muted
               where company = :company and order_uuid = :order and person = :person""",
            company=number.company,
            order=number.order_uuid,
            person=recipient.person.uuid,
        )
        await db.execute(
            """delete from news_quiet q where company = :company and recipient = any(:addresses)
               and (recipient <> all(:unverified) or created_at = (
                   select created_at from news_quiet own
                   where own.company = q.company and own.recipient = :account))""",
            company=number.company,
            addresses=recipient.addresses,
            unverified=recipient.unverified_addresses,
            account=_get_account_key(recipient),
        )


async def list_opted_out_addresses(db: Db, company: UUID, addresses: Sequence[str]) -> set[str]:
    """Return the given addresses that opted out of all news."""
    opted_out: list[str] | None = await db.fetch_value(
        """select array_agg(recipient) from news_quiet
           where company = :company and recipient = any(:addresses)""",
        company=company,
        addresses=list(addresses),
    )
    return set(opted_out or ())


def _get_account_key(recipient: Recipient) -> str:
    return "" if recipient.customer is None else str(recipient.customer.uuid)


async def _load_aggregate(db: Db, number: TrackingNumber) -> OrderAggregate:
    return await OrderAggregate.load(db, await ORDERS.get(db, number.company, number.order_uuid))


async def _list_recipients(db: Db, number: TrackingNumber) -> list[Recipient]:
    return await recipients.load_waiting_recipients(db, await _load_aggregate(db, number), number)


def _select_recipients(people: Sequence[Recipient], person: str) -> list[Recipient]:
    """Select the person named by a link, or the only recipient."""
    if not person and len(people) == 1:
        return list(people)
    return [recipient for recipient in people if recipient.person.public_id == person]
