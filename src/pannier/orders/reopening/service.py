"""Reopen a canceled order, and charge again what its cancellation took off."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

from pannier.db import Db
from pannier.db.row import RowReference
from pannier.errors import Conflict
from pannier.kit.hooks import Hook
from pannier.orders import events, flow, moves
from pannier.orders.internal_ids import claim_internal_id
from pannier.orders.queries import ORDERS
from pannier.orders.quotes import service as quotes
from pannier.orders.quotes import standing
from pannier.orders.returns.service import check_reopening
from pannier.orders.tracking import service as tracking
from pannier.orders.tracking.service import StatusDraft
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import Waypoint
from pannier.payloads.progress import update_payload_progress, update_stop_progress
from pannier.payments.gateway import Gateway
from pannier.payments.transactions import charges, endings
from pannier.payments.transactions import queries as transactions
from pannier.payments.transactions.models import ChargeLine, Transaction
from pannier.proofs import queries as proof_queries
from pannier.proofs import service as proofs

REOPENED: Final = "The order was reopened."
# Columns whose changes an event lists.
_EVENT_FIELDS: Final = frozenset(
    {"status", "undelivered", "scheduled_at", "price_status", "payment_status", "balance"}
)
# Implemented by the invoices: returns whether issued documents charge for these transactions.
is_invoiced: Final = Hook[[Db, UUID, Sequence[UUID]], bool]("pannier.invoices.balances")


class OrderNotCanceled(Conflict):
    """Only canceled orders can be reopened."""

    code = "order_not_canceled"
    title = "The order is not canceled."
    remedy = "A completed order cannot be reopened. Duplicate it instead."


class OrderReturned(Conflict):
    """The goods are not on their way any more."""

    code = "order_returned"
    title = "The goods of this order were returned."
    remedy = "Duplicate the order instead."


class OrderInvoiced(Conflict):
    """An issued invoice has charges of the order."""

    code = "order_invoiced"
    title = "The order is on an issued invoice."
    remedy = "Issue a credit note for the invoice first, or duplicate the order."


async def reopen(db: Db, order: OrderAggregate, gateway: Gateway) -> OrderAggregate:
    """Reopen a locked order that was canceled. It waits to be dispatched again.

    Its driver stays. Completed stops stay completed, and proofs that allowed no activity before
    allow none later.
    """
    row = order.row
    if row.canceled_at is None:
        raise OrderNotCanceled
    if row.undelivered == "return":
        raise OrderReturned
    await check_reopening(db, row)
    await claim_internal_id(db, row.company, row.internal_id, row.uuid)
    order_transactions = await transactions.lock_order_transactions(db, row.company, row.uuid)
    if await is_invoiced(db, row.company, [transaction.uuid for transaction in order_transactions]):
        raise OrderInvoiced
    await _restore_payload(db, order)
    columns: dict[str, Any] = {
        "status": flow.CREATED,
        "activity": flow.CREATED,
        "undelivered": None,
        "dispatched_at": None,
        "started_at": None,
        "canceled_at": None,
        "cancel_reason": None,
        "dispatch_after": None,
        "payment_deadline": None,
    }
    if row.scheduled_at is not None and row.scheduled_at <= db.now:
        # Otherwise the worker would dispatch it at once.
        columns["scheduled_at"] = None
    order.row, names = await ORDERS.change(db, row, log_action="reopened", **columns)
    names += await _restore_price(db, order, order_transactions, gateway)
    changed_fields = [name for name in names if name in _EVENT_FIELDS]
    await events.emit(db, events.OrderUpdated, order, changed=changed_fields)
    await _record_status(db, order)
    if order.row.price_status != "accepted":
        await quotes.renew_quotes(db, order)
    return order


async def _restore_payload(db: Db, order: OrderAggregate) -> None:
    """Let the payload start again at the first stop that was not completed."""
    stops = [
        stop
        if stop.completed_at is not None
        else await update_stop_progress(db, stop, activity=None, undelivered=None)
        for stop in order.payload_aggregate.waypoints
    ]
    open_stops = [stop.uuid for stop in stops if not stop.done]
    payload = await update_payload_progress(
        db,
        order.payload_aggregate.payload,
        state="begun" if _has_completed_stop(stops) else "open",
        current_waypoint=open_stops[0] if open_stops else None,
    )
    order.put(payload, stops)


def _has_completed_stop(stops: Sequence[Waypoint]) -> bool:
    return any(stop.completed_at is not None for stop in stops)


async def _restore_price(
    db: Db, order: OrderAggregate, order_transactions: Sequence[Transaction], gateway: Gateway
) -> list[str]:
    """Charge what the cancellation took off; return the names of the changed columns.

    A voided price stays void: the order is priced again.
    """
    row = order.row
    # While anything is owed, the price stays accepted, with the parts that were refunded in full.
    # If nothing is owed, the order is priced again instead.
    is_owed = any(transaction.is_owed for transaction in order_transactions)
    reduced = [one for one in order_transactions if is_owed and one.voided_at is None]
    for line in await _list_reversals(db, row.company, reduced):
        await charges.charge_order(
            db,
            row.company,
            RowReference(row.uuid, row.public_id),
            line,
            currency=reduced[0].currency,
            customer=order.related.partner(row.customer, row.customer_type),
            gateway=gateway,
        )
    rows = await transactions.list_order_transactions(db, row.company, row.uuid)
    order.row, names = await ORDERS.change(db, row, **standing.to_payment_columns(row, rows))
    return names


async def _list_reversals(
    db: Db, company: UUID, reduced_transactions: Sequence[Transaction]
) -> list[ChargeLine]:
    """List the lines that reverse what cancellations took off, one for each tax rate."""
    amounts, taxes = Counter[Decimal | None](), Counter[Decimal | None]()
    uuids = [transaction.uuid for transaction in reduced_transactions]
    for charge in await transactions.list_charges(db, company, uuids):
        if charge.code in endings.REDUCTION_CODES:
            amounts[charge.tax_rate] -= charge.amount
            taxes[charge.tax_rate] -= charge.tax_amount
    return [
        ChargeLine(
            kind="cancellation",
            code=endings.REOPENED_CODE,
            details=REOPENED,
            amount=amount,
            tax_rate=tax_rate,
            tax_amount=taxes[tax_rate],
        )
        for tax_rate, amount in amounts.items()
        if amount > 0
    ]


async def _record_status(db: Db, order: OrderAggregate) -> None:
    """Record the reopening in the history. Unused proofs belong to the time before it."""
    status_draft = StatusDraft(code=flow.CREATED, status="Order reopened", details=REOPENED)
    number = moves.get_tracking_number(order, None)
    status = await tracking.record_status(db, order.row, status_draft, number)
    unused_proofs = await proof_queries.list_unused_proofs(db, order.row.company, order.row.uuid)
    await proofs.mark_proofs_used(db, unused_proofs, status.uuid)
