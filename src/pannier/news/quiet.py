"""The way out: whoever holds a tracking number may stop the news of their deliveries, or have them.

It holds for a company and everywhere the recipient can be reached, also for deliveries to come.
"""

from collections.abc import Sequence
from uuid import UUID

from pannier.db import Db
from pannier.news import recipients
from pannier.news.recipients import Recipient
from pannier.orders.aggregate import Aggregate
from pannier.orders.queries import ORDERS
from pannier.payloads.models import TrackingNumber


async def is_quiet(db: Db, number: TrackingNumber) -> bool | None:
    """Tell whether those who wait for a delivery hear no news; None when there is nobody."""
    people = await _waiting(db, number)
    if not people:
        return None
    quiet = await among(db, number.company, [each for who in people for each in who.addresses])
    return all(quiet & set(who.addresses) for who in people)


async def stop(db: Db, number: TrackingNumber) -> None:
    """Tell those who wait for a delivery no more news."""
    for who in await _waiting(db, number):
        await db.execute(
            """insert into news_quiet (company, recipient, created_at)
               select :company, recipient, :now from unnest(:addresses::text[]) as recipient
               on conflict (company, recipient) do nothing""",
            company=number.company,
            addresses=sorted(who.addresses),
            now=db.now,
        )


async def resume(db: Db, number: TrackingNumber) -> None:
    """Tell those who wait for a delivery news again."""
    people = await _waiting(db, number)
    await forget(db, number.company, [each for who in people for each in who.addresses])


async def forget(db: Db, company: UUID, addresses: Sequence[str]) -> None:
    """Forget that somebody wanted to hear nothing."""
    await db.execute(
        "delete from news_quiet where company = :company and recipient = any(:addresses)",
        company=company,
        addresses=list(addresses),
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


async def _waiting(db: Db, number: TrackingNumber) -> list[Recipient]:
    read = await Aggregate.of(db, await ORDERS.get(db, number.company, number.order_uuid))
    return await recipients.waiting(db, read, number)
