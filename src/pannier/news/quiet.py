"""The way out: whoever holds a tracking number may stop the news of their deliveries, or have them.

It holds for a company and everywhere the recipient can be reached, also for deliveries to come.
Where several wait for the same, a link that was sent to one of them speaks for this person alone.
Anybody may stop news to where an account says that it is reached; who has not proved that it is
theirs cannot have news sent there against the wish of somebody else.
"""

from collections.abc import Sequence
from uuid import UUID

from pannier.db import Db
from pannier.news import recipients
from pannier.news.recipients import Recipient
from pannier.notifications import service as notifications
from pannier.orders.aggregate import Aggregate
from pannier.orders.queries import ORDERS
from pannier.payloads.models import TrackingNumber


async def is_quiet(db: Db, number: TrackingNumber, person: str = "") -> bool | None:
    """Tell whether those who wait for a delivery hear no news; None when there is nobody."""
    people = await _waiting(db, number, person)
    if not people:
        return None
    quiet = await among(db, number.company, [each for who in people for each in who.addresses])
    return all(quiet & set(who.addresses) for who in people)


async def stop(db: Db, number: TrackingNumber, person: str = "") -> None:
    """Tell those who wait for a delivery no more news, not even what is still to be sent.

    Whose an address is makes the wish there their own, also where somebody who only says that it
    is theirs has wished the same before.
    """
    for who in await _waiting(db, number, person):
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
        account = None if who.customer is None else who.customer.uuid
        to = [address for address in (who.phone, who.email) if address]
        await notifications.withhold(db, number.company, to, account)


async def resume(db: Db, number: TrackingNumber, person: str = "") -> None:
    """Tell those who wait for a delivery news again.

    Where an account only says that it is reached, it takes back its own wish and nobody else's.
    """
    for who in await _waiting(db, number, person):
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


async def _waiting(db: Db, number: TrackingNumber, person: str) -> list[Recipient]:
    read = await Aggregate.of(db, await ORDERS.get(db, number.company, number.order_uuid))
    people = await recipients.waiting(db, read, number)
    return [who for who in people if person in {"", who.person.public_id}]
