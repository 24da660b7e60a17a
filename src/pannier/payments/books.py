"""Comparing a gateway's books with our own, and taking from them what we were never told."""

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec

from pannier.db import Database, Db
from pannier.payments import facts, settlement
from pannier.payments.gateway import Gateway
from pannier.payments.settlement import Fact

BATCH: Final = 100


class Sums(msgspec.Struct):
    """What was taken and given back in one currency, by the gateway's books and by ours."""

    currency: str
    gateway_paid: int = 0
    our_paid: int = 0
    gateway_refunded: int = 0
    our_refunded: int = 0


class Difference(msgspec.Struct):
    """A payment of which the two books say different things."""

    transaction: str
    payment: str
    currency: str
    gateway_paid: int
    our_paid: int
    gateway_refunded: int
    our_refunded: int


class Comparison(msgspec.Struct):
    """What came out of comparing two books."""

    gateway: str
    agree: bool
    # How many facts we had not heard of.
    learned: int
    payments: int
    sums: list[Sums]
    differences: list[Difference]


class _Payment(msgspec.Struct):
    """What our own books say of a payment."""

    transaction: str
    payment: str
    currency: str
    paid: int
    refunded: int


async def reconcile(database: Database, gateway: Gateway, since: datetime) -> Comparison:
    """Take what the gateway knows and we do not; then compare all payments on pages since then."""
    told: dict[str, set[Fact]] = defaultdict(set)
    learned = 0
    async for batch in _batches(gateway.facts_since(since)):
        for fact in await _news(database, gateway.name, batch):
            # Each by itself: who holds several transactions may wait for who holds one of them.
            async with database.transaction() as db:
                learned += await facts.take(db, gateway.name, fact)
        for fact in batch:
            if fact.payment is not None:
                told[fact.payment].add(fact)
    async with database.reading() as db:
        ours = await _ours(db, gateway.name, since)
    return _compared(gateway.name, learned, ours, told)


async def _batches(told: AsyncIterator[Fact]) -> AsyncIterator[list[Fact]]:
    batch: list[Fact] = []
    async for fact in told:
        batch.append(fact)
        if len(batch) == BATCH:
            yield batch
            batch = []
    yield batch


class _Known(msgspec.Struct):
    name: str


async def _news(database: Database, gateway: str, batch: Sequence[Fact]) -> list[Fact]:
    """Leave out what was told before."""
    async with database.reading() as db:
        rows = await db.many(
            _Known,
            "select name from payment_facts where gateway = :gateway and name = any(:names)",
            gateway=gateway,
            names=[fact.name for fact in batch],
        )
    known = {row.name for row in rows}
    return [fact for fact in batch if fact.name not in known]


async def _ours(db: Db, gateway: str, since: datetime) -> list[_Payment]:
    """Read what we know of the payments on pages that were wanted since then."""
    return await db.many(
        _Payment,
        """select t.public_id as transaction, c.payment, t.currency,
               coalesce((select max(f.amount) from payment_facts f
                         where f.checkout = c.uuid and f.kind = 'paid'
                           and f.payment = c.payment and f.currency = t.currency), 0) as paid,
               coalesce((select sum(r.amount)::bigint from refunds r
                         where r.transaction = t.uuid and r.payment = c.payment
                           and r.state = 'succeeded'), 0) as refunded
           from checkouts c join transactions t on t.uuid = c.transaction
           where c.gateway = :gateway and c.created_at >= :since and c.payment is not null
           order by c.created_at, c.uuid""",
        gateway=gateway,
        since=since,
    )


def _compared(
    gateway: str, learned: int, ours: Sequence[_Payment], told: Mapping[str, set[Fact]]
) -> Comparison:
    sums: dict[str, Sums] = {}
    differences = []
    for row in ours:
        theirs = settlement.settled(
            row.paid, row.currency, voided=False, facts=told.get(row.payment, set())
        )
        total = sums.setdefault(row.currency, Sums(row.currency))
        total.gateway_paid += theirs.paid
        total.our_paid += row.paid
        total.gateway_refunded += theirs.refunded
        total.our_refunded += row.refunded
        if (theirs.paid, theirs.refunded) != (row.paid, row.refunded):
            differences.append(
                Difference(
                    row.transaction,
                    row.payment,
                    row.currency,
                    theirs.paid,
                    row.paid,
                    theirs.refunded,
                    row.refunded,
                )
            )
    ordered = [sums[currency] for currency in sorted(sums)]
    return Comparison(gateway, not differences, learned, len(ours), ordered, differences)
