"""Record the reports of gateways, each fact once, and settle transactions accordingly."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db, columns, retention
from pannier.payments import settlement
from pannier.payments.gateway import Gateway
from pannier.payments.settlement import GatewayFact, GatewayRefund, Settlement, WantedRefund
from pannier.payments.transactions import events, followers, queries
from pannier.payments.transactions.models import Checkout, Payment, Refund, Transaction
from pannier.payments.transactions.queries import REFUNDS, TRANSACTIONS
from pannier.web.logs import log

CHANNEL: Final = "pannier_payments"
OVERPAID: Final = "More was paid than is owed."
PAID_WHEN_VOID: Final = "Paid when it was void."
# The gateway of refunds that people made.
MANUAL: Final = "manual"
FACT_COLUMNS: Final = columns(GatewayFact)
# Time until the worker asks again about a payment or refund in progress.
CHECK_AFTER: Final = timedelta(days=1)
# How long to keep refunds of unknown payments, which were not made through Pannier.
UNMATCHED_REFUND_RETENTION: Final = timedelta(days=30)


async def record_facts(db: Db, gateway: Gateway, *gateway_facts: GatewayFact) -> int:
    """Record facts from a gateway, and settle their transactions. Return how many were new.

    Facts about checkouts of other systems are ignored, and so are a test gateway's facts about live
    companies.
    """
    return sum([await _record_fact(db, gateway, fact) for fact in gateway_facts])


async def _record_fact(db: Db, gateway: Gateway, fact: GatewayFact) -> bool:
    if fact.payment is not None:
        await _lock_payment(db, f"payment:{gateway.name}:{fact.payment}")
    page = await _find_page(db, gateway.name, fact)
    if page is None and fact.checkout is not None:
        return False
    if page is not None and not await _can_settle(db, gateway, page):
        return False
    if not await _insert_fact(db, gateway.name, fact, page):
        return False
    if page is not None:
        transaction = await queries.lock_transaction_and_order(db, page.company, page.transaction)
        _warn_about_currency(transaction, fact)
        _warn_about_dispute(transaction, fact)
        await followers.notify_order(db, await refresh_transaction(db, transaction))
    return True


async def _can_settle(db: Db, gateway: Gateway, page: Checkout) -> bool:
    """Return whether a gateway may settle a page. A test gateway may not for a live company."""
    is_served = (await company_settings.load(db, page.company)).mode in gateway.modes
    if not is_served:
        log.warning("payment of another mode ignored", gateway=gateway.name, checkout=page.uuid)
    return is_served


def _warn_about_currency(transaction: Transaction, fact: GatewayFact) -> None:
    """Log money in another currency, which settles nothing and is not refunded automatically."""
    if fact.kind == "paid" and fact.currency != transaction.currency:
        log.error(
            "payment in another currency",
            transaction=transaction.public_id,
            payment=fact.payment,
            amount=fact.amount,
            currency=fact.currency,
        )


def _warn_about_dispute(transaction: Transaction, fact: GatewayFact) -> None:
    """Log a dispute, because somebody has to respond before its deadline."""
    if fact.kind == "dispute":
        log.warning(
            "payment disputed",
            transaction=transaction.public_id,
            dispute=fact.dispute,
            state=fact.dispute_state,
            amount=fact.amount,
            currency=fact.currency,
        )


async def _lock_payment(db: Db, name: str) -> None:
    """Serialise database transactions about the same payment.

    Otherwise a refund might look for its payment while the payment, still uncommitted, looks for
    its refunds.
    """
    await db.execute("select pg_advisory_xact_lock(hashtextextended(:name, 0))", name=name)


async def _find_page(db: Db, gateway: str, fact: GatewayFact) -> Checkout | None:
    """Find a fact's page. For a refund or dispute, it is the page of its payment."""
    paid_checkout = """(select checkout from payment_facts
               where gateway = :gateway and payment = :payment and kind = 'paid')"""
    checkout = ":checkout" if fact.checkout is not None else paid_checkout
    return await db.find(
        Checkout,
        f"select {columns(Checkout)} from checkouts where gateway = :gateway and uuid = {checkout}",
        gateway=gateway,
        checkout=fact.checkout,
        payment=fact.payment,
    )


async def _insert_fact(db: Db, gateway: str, fact: GatewayFact, page: Checkout | None) -> bool:
    """Insert a fact. Return False if it was already recorded."""
    values = msgspec.structs.asdict(fact) | {"checkout": page and page.uuid}
    row_count = await db.execute(
        f"""insert into payment_facts (gateway, name, told_at, {FACT_COLUMNS})
            values (:gateway, :name, :now, {", ".join(f":{name}" for name in values)})
            on conflict do nothing""",
        gateway=gateway,
        name=fact.name,
        now=db.now,
        **values,
    )
    return row_count == 1


async def refresh_transaction(db: Db, transaction: Transaction) -> Transaction:
    """Update a locked transaction from its facts."""
    result = await compute_settlement(db, transaction)
    await _settle_pages(db, transaction, result)
    await _settle_refunds(db, transaction, result.refunds)
    updated_transaction, changed_columns = await TRANSACTIONS.change(
        db,
        transaction,
        status=result.status,
        amount_paid=result.paid,
        amount_refunded=result.refunded,
        amount_disputed=result.disputed,
        balance=result.balance,
        paid_at=transaction.paid_at or (db.now if result.paid else None),
    )
    await events.emit_change(db, transaction, updated_transaction)
    await followers.follow_balance(db, updated_transaction)
    await _queue_excess_refunds(db, updated_transaction, result)
    return (
        updated_transaction
        if changed_columns
        else await TRANSACTIONS.touch(db, updated_transaction)
    )


async def compute_settlement(db: Db, transaction: Transaction) -> Settlement:
    """Compute the settlement of a locked transaction."""
    refunds = await queries.list_refunds(db, transaction.company, [transaction.uuid])
    payments = await queries.list_payments(db, transaction.company, [transaction.uuid])
    return settlement.compute_settlement(
        transaction.amount,
        transaction.currency,
        voided=transaction.voided_at is not None,
        facts=[
            *await _link_refunds_and_load_facts(db, transaction),
            *_to_facts(transaction, payments, refunds),
        ],
        recorded_payments=[payment.public_id for payment in payments],
        refused_payments=[refund.payment for refund in refunds if refund.state == "failed"],
        queued_refunds=[
            WantedRefund(refund.uuid, refund.payment, refund.amount)
            for refund in refunds
            if refund.state == "wanted"
        ],
    )


def _to_facts(
    transaction: Transaction, payments: Sequence[Payment], refunds: Sequence[Refund]
) -> list[GatewayFact]:
    """Return facts about payments that people recorded, and about their refunds."""
    return [
        *(
            GatewayFact(
                kind="paid",
                payment=payment.public_id,
                amount=payment.amount,
                currency=transaction.currency,
            )
            for payment in payments
        ),
        *(
            GatewayFact(
                kind="refund",
                payment=refund.payment,
                amount=refund.amount,
                currency=transaction.currency,
                refund=refund.reference,
                own_refund=refund.uuid,
                refund_state="succeeded",
            )
            for refund in refunds
            if refund.gateway == MANUAL
        ),
    ]


async def _link_refunds_and_load_facts(db: Db, transaction: Transaction) -> Sequence[GatewayFact]:
    """Link earlier refunds and disputes to their pages, and load the facts of all pages."""
    pages = await queries.list_checkouts(db, transaction.company, [transaction.uuid])
    if not pages:
        return []
    await db.execute(
        """update payment_facts as refund set checkout = paid.checkout
           from payment_facts paid
           where paid.checkout = any(:pages) and paid.kind = 'paid'
             and refund.gateway = paid.gateway and refund.payment = paid.payment
             and refund.checkout is null""",
        pages=[page.uuid for page in pages],
    )
    return await db.fetch_all(
        GatewayFact,
        f"select {FACT_COLUMNS} from payment_facts where checkout = any(:pages) order by name",
        pages=[page.uuid for page in pages],
    )


async def _settle_pages(db: Db, transaction: Transaction, result: Settlement) -> None:
    """Record the outcome of each page. The return URL is no longer needed and is deleted."""
    for uuid, outcome in result.outcomes.items():
        await db.execute(
            """update checkouts set state = :outcome, due_at = :due_at, error = null,
                   return_url = null,
                   payment = (select payment from payment_facts
                              where checkout = :uuid and kind = 'paid' order by name limit 1)
               where company = :company and uuid = :uuid and state <> :outcome""",
            company=transaction.company,
            uuid=uuid,
            outcome=outcome,
            due_at=db.now + CHECK_AFTER if outcome == "processing" else None,
        )
    if not {"paid", "processing"}.isdisjoint(result.outcomes.values()):
        # A payer who has paid on one page, or whose bank is processing the payment, must not pay on
        # a second page that was opened when the first seemed to have ended.
        await close_checkouts(db, transaction)


async def close_checkouts(db: Db, transaction: Transaction) -> None:
    """Queue the closing of the pages on which a transaction could still be paid."""
    row_count = await db.execute(
        """update checkouts set state = 'closing', due_at = :now, attempts = 0
           where company = :company and transaction = :transaction
             and state in ('wanted', 'open')""",
        now=db.now,
        company=transaction.company,
        transaction=transaction.uuid,
    )
    if row_count:
        db.notify(CHANNEL)


async def _settle_refunds(
    db: Db, transaction: Transaction, gateway_refunds: Sequence[GatewayRefund]
) -> None:
    """Record the state of each refund. Refunds made directly at the gateway get a new row."""
    if not gateway_refunds:
        return
    refunds = await queries.list_refunds(db, transaction.company, [transaction.uuid])
    for refund in gateway_refunds:
        row = _find_refund(refunds, refund)
        due_at = db.now + CHECK_AFTER if refund.state == "pending" else None
        if row is None:
            row = await _create_refund(
                db, transaction, refund.payment, refund.amount, state="wanted"
            )
        if (row.state, row.reference) != (refund.state, refund.refund):
            await REFUNDS.change(
                db, row, state=refund.state, reference=refund.refund, error=None, due_at=due_at
            )


def _find_refund(refunds: Sequence[Refund], gateway_refund: GatewayRefund) -> Refund | None:
    for row in refunds:
        if row.uuid == gateway_refund.own_refund or row.reference == gateway_refund.refund:
            return row
    return None


async def _queue_excess_refunds(db: Db, transaction: Transaction, result: Settlement) -> None:
    """Queue refunds of overpaid money. An operator handles failed refunds."""
    if result.excess == 0:
        return
    refunds = await queries.list_refunds(db, transaction.company, [transaction.uuid])
    payments = await queries.list_payments(db, transaction.company, [transaction.uuid])
    recorded_payments = {payment.public_id for payment in payments}
    failed_payments = {row.payment for row in refunds if row.state == "failed"}
    refundable = {
        payment: amount
        for payment, amount in result.refundable.items()
        if payment not in failed_payments | recorded_payments
    }
    reason = OVERPAID if transaction.voided_at is None else PAID_WHEN_VOID
    for payment, share in settlement.distribute_refund(refundable, result.excess).items():
        log.warning(
            "overpayment refunded", transaction=transaction.public_id, amount=share, reason=reason
        )
        await queue_refund(db, transaction, payment, share, reason)


async def queue_refund(
    db: Db, transaction: Transaction, payment: str, amount: int, reason: str | None
) -> Refund:
    """Record a refund, which the worker requests from the gateway."""
    db.notify(CHANNEL)
    return await _create_refund(
        db, transaction, payment, amount, state="wanted", reason=reason, due_at=db.now
    )


async def record_refund(
    db: Db, transaction: Transaction, payment: str, amount: int, reason: str | None
) -> Refund:
    """Record a refund of a payment that a person recorded. It has happened outside a gateway."""
    row = REFUNDS.draft(
        db,
        transaction.company,
        transaction=transaction.uuid,
        gateway=MANUAL,
        payment=payment,
        amount=amount,
        reason=reason,
        state="succeeded",
    )
    # Its own id, because no gateway has one.
    row.reference = row.public_id
    return await REFUNDS.insert(db, row)


async def _create_refund(
    db: Db,
    transaction: Transaction,
    payment: str,
    amount: int,
    **columns: Any,  # noqa: ANN401 - columns
) -> Refund:
    gateway = await db.fetch_value(
        """select f.gateway from payment_facts f join checkouts c on c.uuid = f.checkout
           where c.company = :company and c.transaction = :transaction
             and f.payment = :payment and f.kind = 'paid'""",
        company=transaction.company,
        transaction=transaction.uuid,
        payment=payment,
    )
    return await REFUNDS.create(
        db,
        transaction.company,
        transaction=transaction.uuid,
        gateway=gateway,
        payment=payment,
        amount=amount,
        **columns,
    )


async def purge_unmatched_refunds(db: Db) -> int:
    """Delete a batch of refunds whose payments never arrived."""
    return await retention.delete(
        db,
        """delete from payment_facts where (gateway, name) in (
               select gateway, name from payment_facts
               where checkout is null and told_at < pannier_now() - :stay::interval
               order by told_at limit 1000
               for update skip locked)""",
        stay=UNMATCHED_REFUND_RETENTION,
    )


async def mark_refund_failed(db: Db, company: UUID, refund: UUID, error: str) -> None:
    """Record that a gateway has declined a refund."""
    row = await REFUNDS.get(db, company, refund)
    transaction = await queries.lock_transaction_and_order(db, company, row.transaction)
    row = await REFUNDS.get(db, company, refund)
    if row.state == "wanted":
        await REFUNDS.change(db, row, state="failed", error=error, due_at=None)
        await followers.notify_order(db, await refresh_transaction(db, transaction))
