"""Compare a gateway's records with Pannier's, and add missing facts."""

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec

from pannier.db import Database, Db
from pannier.payments import facts, settlement
from pannier.payments.gateway import Gateway
from pannier.payments.settlement import GatewayFact

BATCH_SIZE: Final = 100


class CurrencyTotals(msgspec.Struct):
    """Paid and refunded amounts in one currency, by the gateway's records and Pannier's."""

    currency: str
    gateway_paid: int = 0
    our_paid: int = 0
    gateway_refunded: int = 0
    our_refunded: int = 0


class PaymentDifference(msgspec.Struct):
    """A payment whose amounts differ between the gateway's records and Pannier's."""

    transaction: str
    payment: str
    currency: str
    gateway_paid: int
    our_paid: int
    gateway_refunded: int
    our_refunded: int


class UnknownPayment(msgspec.Struct):
    """A payment at the gateway without a checkout here, perhaps lost when a backup was restored."""

    payment: str
    currency: str | None
    paid: int


class Reconciliation(msgspec.Struct):
    """The result of a comparison."""

    gateway: str
    agree: bool
    # The number of facts that were new.
    learned: int
    payments: int
    sums: list[CurrencyTotals]
    differences: list[PaymentDifference]
    unknown: list[UnknownPayment]


class _OwnPayment(msgspec.Struct):
    """A payment in Pannier's records."""

    transaction: str
    payment: str
    currency: str
    paid: int
    refunded: int


async def reconcile(database: Database, gateway: Gateway, since: datetime) -> Reconciliation:
    """Record new facts, then compare all payments on pages created since then."""
    facts_by_payment: dict[str, set[GatewayFact]] = defaultdict(set)
    unknown_payments: list[UnknownPayment] = []
    new_count = 0
    async for batch in _split_batches(gateway.list_facts(since)):
        new_facts = await _select_new_facts(database, gateway.name, batch)
        for fact in new_facts:
            # One database transaction per fact: locking several payments at once could deadlock.
            async with database.transaction() as db:
                new_count += await facts.record_facts(db, gateway, fact)
        # A fact that is still new was not accepted.
        unknown_payments += [
            UnknownPayment(fact.payment, fact.currency, fact.amount)
            for fact in await _select_new_facts(database, gateway.name, new_facts)
            if fact.kind == "paid" and fact.payment is not None
        ]
        for fact in batch:
            if fact.payment is not None:
                facts_by_payment[fact.payment].add(fact)
    async with database.reading() as db:
        own_payments = await _load_payments(db, gateway.name, since)
    sums, differences = _compare_payments(own_payments, facts_by_payment)
    agree = not differences and not unknown_payments
    return Reconciliation(
        gateway.name, agree, new_count, len(own_payments), sums, differences, unknown_payments
    )


async def _split_batches(
    gateway_facts: AsyncIterator[GatewayFact],
) -> AsyncIterator[list[GatewayFact]]:
    batch: list[GatewayFact] = []
    async for fact in gateway_facts:
        batch.append(fact)
        if len(batch) == BATCH_SIZE:
            yield batch
            batch = []
    yield batch


class _FactName(msgspec.Struct):
    name: str


async def _select_new_facts(
    database: Database, gateway: str, batch: Sequence[GatewayFact]
) -> list[GatewayFact]:
    """Return the facts that are not recorded yet."""
    async with database.reading() as db:
        rows = await db.fetch_all(
            _FactName,
            "select name from payment_facts where gateway = :gateway and name = any(:names)",
            gateway=gateway,
            names=[fact.name for fact in batch],
        )
    existing_names = {row.name for row in rows}
    return [fact for fact in batch if fact.name not in existing_names]


async def _load_payments(db: Db, gateway: str, since: datetime) -> list[_OwnPayment]:
    """Load the payments on pages that were created since then."""
    return await db.fetch_all(
        _OwnPayment,
        """select t.public_id as transaction, f.payment, t.currency,
               case when f.currency = t.currency then f.amount else 0 end as paid,
               coalesce((select sum(r.amount)::bigint from refunds r
                         where r.transaction = t.uuid and r.payment = f.payment
                           and r.state = 'succeeded'), 0) as refunded
           from checkouts c join transactions t on t.uuid = c.transaction
               join payment_facts f on f.checkout = c.uuid and f.kind = 'paid'
           where c.gateway = :gateway and c.created_at >= :since
           order by c.created_at, c.uuid, f.payment""",
        gateway=gateway,
        since=since,
    )


def _compare_payments(
    own_payments: Sequence[_OwnPayment], facts_by_payment: Mapping[str, set[GatewayFact]]
) -> tuple[list[CurrencyTotals], list[PaymentDifference]]:
    sums: dict[str, CurrencyTotals] = {}
    differences = []
    for row in own_payments:
        gateway_facts = facts_by_payment.get(row.payment, set())
        # Pannier records a single currency, so money in another one is missing from its records.
        other_currencies = {fact.currency for fact in gateway_facts if fact.currency} - {
            row.currency
        }
        for currency in [row.currency, *sorted(other_currencies)]:
            difference = _compare_payment(row, currency, gateway_facts)
            total = sums.setdefault(currency, CurrencyTotals(currency))
            total.gateway_paid += difference.gateway_paid
            total.our_paid += difference.our_paid
            total.gateway_refunded += difference.gateway_refunded
            total.our_refunded += difference.our_refunded
            our_sums, gateway_sums = (
                (difference.our_paid, difference.our_refunded),
                (difference.gateway_paid, difference.gateway_refunded),
            )
            if our_sums != gateway_sums or currency != row.currency:
                differences.append(difference)
    return [sums[currency] for currency in sorted(sums)], differences


def _compare_payment(
    row: _OwnPayment, currency: str, gateway_facts: set[GatewayFact]
) -> PaymentDifference:
    """Compare the amounts of a payment in one currency."""
    gateway_sums = settlement.compute_settlement(0, currency, voided=False, facts=gateway_facts)
    paid, refunded = (row.paid, row.refunded) if currency == row.currency else (0, 0)
    return PaymentDifference(
        row.transaction,
        row.payment,
        currency,
        # Payments whose disputes were lost are payments on both sides.
        gateway_sums.paid + gateway_sums.disputed,
        paid,
        gateway_sums.refunded,
        refunded,
    )
