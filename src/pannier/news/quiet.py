"""Opting out: the holder of a tracking link may stop news about this delivery, or all of a company.

Stopping all holds wherever the recipient can be reached, also for deliveries to come. Where several
people wait for the same delivery, only a link that was sent to one of them changes anything, and
only for this person.
Anybody may stop news to where an account says that it is reached; who has not proved that it is
theirs cannot have news sent there against the wish of somebody else.
"""

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

from pannier.db import Db
from pannier.news import recipients
from pannier.news.recipients import Recipient
from pannier.notifications import service as notifications
from pannier.orders.queries import ORDERS
from pannier.orders.views import Aggregate
from pannier.payloads.models import TrackingNumber

News = Literal["on", "delivery_off", "all_off", "several", "nobody"]


async def read_state(db: Db, number: TrackingNumber, person: str = "") -> News:
    """Tell which news the recipient gets; `several` wait where the link names none of them."""
    everybody = await _waiting(db, number)
    people = _meant(everybody, person)
    if not people:
        return "several" if everybody else "nobody"
    quiet = await among(db, number.company, [each for who in people for each in who.addresses])
    if all(quiet & set(who.addresses) for who in people):
        return "all_off"
    muted = await list_muted(db, number.company, number.order_uuid)
    return "delivery_off" if all(who.person.uuid in muted for who in people) else "on"


async def mute(db: Db, number: TrackingNumber, person: str = "") -> None:
    """Send the recipient no more news about this delivery."""
    read = await _read(db, number)
    for who in _meant(await recipients.waiting(db, read, number), person):
        await db.execute(
            """insert into news_muted (company, order_uuid, person, created_at)
               values (:company, :order, :person, :now) on conflict do nothing""",
            company=number.company,
            order=number.order_uuid,
            person=who.person.uuid,
            now=db.now,
        )
        await _withhold(db, number.company, who, read.order.public_id)


async def list_muted(db: Db, company: UUID, order: UUID) -> set[UUID]:
    """List the people who want no news about an order."""
    found: list[UUID] | None = await db.value(
        """select array_agg(person) from news_muted
           where company = :company and order_uuid = :order""",
        company=company,
        order=order,
    )
    return set(found or ())


async def stop(db: Db, number: TrackingNumber, person: str = "") -> None:
    """Send the recipient no more news of the company.

    Whose an address is makes the wish there their own, also where somebody who only says that it
    is theirs has wished the same before.
    """
    for who in _meant(await _waiting(db, number), person):
        await db.execute(
            """insert into news_quiet (company, recipient, created_at)
               select :company, recipient, :now from unnest(:addresses::text[]) as recipient
               on conflict (company, recipient) do update set created_at = :now
               where news_quiet.recipient <> all(:claimed)""",
            company=number.company,
            addresses=sorted(who.addresses),
            claimed=[*who.unproved, _account(who)],
            now=db.now,
        )
        await _withhold(db, number.company, who)


async def _withhold(db: Db, company: UUID, who: Recipient, order_id: str | None = None) -> None:
    account = None if who.customer is None else who.customer.uuid
    to = [address for address in (who.phone, who.email) if address]
    await notifications.withhold(db, company, to, account, order_id)


async def resume(db: Db, number: TrackingNumber, person: str = "") -> None:
    """Send the recipient news again, about this delivery and all others.

    Where an account only says that it is reached, it takes back its own wish and nobody else's.
    """
    for who in _meant(await _waiting(db, number), person):
        await db.execute(
            """delete from news_muted
               where company = :company and order_uuid = :order and person = :person""",
            company=number.company,
            order=number.order_uuid,
            person=who.person.uuid,
        )
        await db.execute(
            """delete from news_quiet q where company = :company and recipient = any(:addresses)
               and (recipient <> all(:unproved) or created_at = (
                   select created_at from news_quiet own
                   where own.company = q.company and own.recipient = :account))""",
            company=number.company,
            addresses=who.addresses,
            unproved=who.unproved,
            account=_account(who),
        )


async def among(db: Db, company: UUID, addresses: Sequence[str]) -> set[str]:
    """Tell at which of these addresses nobody wants to hear news."""
    found: list[str] | None = await db.value(
        """select array_agg(recipient) from news_quiet
           where company = :company and recipient = any(:addresses)""",
        company=company,
        addresses=list(addresses),
    )
    return set(found or ())


def _account(who: Recipient) -> str:
    return "" if who.customer is None else str(who.customer.uuid)


async def _read(db: Db, number: TrackingNumber) -> Aggregate:
    return await Aggregate.of(db, await ORDERS.get(db, number.company, number.order_uuid))


async def _waiting(db: Db, number: TrackingNumber) -> list[Recipient]:
    return await recipients.waiting(db, await _read(db, number), number)


def _meant(people: Sequence[Recipient], person: str) -> list[Recipient]:
    """Choose whom a link speaks for: the person that it names, or the only one."""
    if not person and len(people) == 1:
        return list(people)
    return [who for who in people if who.person.public_id == person]
