"""Routes of transactions: read them, record payments, refund and void them."""

from typing import Any, Final
from uuid import UUID

from pannier.accounts import api_routers, auth
from pannier.accounts.auth import Caller, FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.payments import checkouts
from pannier.payments.gateway import Gateway, GatewayIsTest, GatewayNotConfigured
from pannier.payments.transactions import export, followers, queries, service
from pannier.payments.transactions.export import TransactionExportFilters
from pannier.payments.transactions.queries import TRANSACTIONS
from pannier.payments.transactions.schemas import (
    CheckoutIn,
    PaymentIn,
    RefundIn,
    TransactionOut,
    VoidIn,
)
from pannier.payments.transactions.service import (
    AlreadyPaid,
    AlreadyVoid,
    NothingToRefund,
    TooManyEntries,
)
from pannier.web.exchange import Exchange
from pannier.web.resources import make_read_only
from pannier.web.routes import get, post
from pannier.web.streams import StreamedResponse, TooManyStreams
from pannier.web.versions import IfMatch, PreconditionFailed

transactions: Final = make_read_only(
    TRANSACTIONS, queries.list_transactions, queries.load_transactions_out
)

ONE: Final = "/transactions/{transaction_id:str}"


async def create_checkout(
    caller: FleetKey | Caller,
    transaction_id: str,
    data: CheckoutIn,
    exchange: Exchange,
    db: Db,
    gateway: Gateway,
) -> TransactionOut:
    """Get or create the checkout page of a transaction."""
    return_url = await checkouts.parse_return_url(db, caller.company, data.return_url)
    actor = db.actor
    async with exchange.edge.suspend_transaction(exchange):
        row = await checkouts.offer_page(
            exchange.edge.database,
            gateway,
            caller.company,
            transaction_id,
            return_url=return_url,
            actor=actor,
        )
    return await transactions.to_out(db, await TRANSACTIONS.get(db, row.company, row.uuid))


@post(
    f"{ONE}/void",
    status_code=200,
    before_request=auth.require_money_role("void"),
    problems=[AlreadyPaid, PreconditionFailed],
)
async def void_transaction(
    caller: Caller, transaction_id: str, data: VoidIn, match: IfMatch, db: Db
) -> TransactionOut:
    """Void an unpaid transaction, and close its checkout page."""
    row = await queries.lock_transaction_and_order(db, caller.company, transaction_id)
    match(row.version)
    updated_transaction = await service.void_transaction(db, row, data.reason)
    await followers.notify_order(db, updated_transaction)
    return await transactions.to_out(db, updated_transaction)


async def create_refund(
    caller: FleetKey | Caller,
    transaction_id: str,
    data: RefundIn,
    match: IfMatch,
    db: Db,
    gateway: Gateway,
) -> TransactionOut:
    """Refund a transaction in full or in part.

    A refund at a gateway stays `pending` until the gateway confirms it. Money that was recorded by
    hand counts as refunded at once.
    """
    row = await queries.lock_transaction_and_order(db, caller.company, transaction_id)
    match(row.version)
    updated_transaction = await service.refund_transaction(
        db, row, gateway, data.amount, data.reason
    )
    await followers.notify_order(db, updated_transaction)
    return await transactions.to_out(db, updated_transaction)


async def create_payment(
    caller: FleetKey | Caller, transaction_id: str, data: PaymentIn, match: IfMatch, db: Db
) -> TransactionOut:
    """Record money that was received outside a gateway, in full or in part.

    Without an amount, the amount still owed was received. Send an `Idempotency-Key`, so that a
    repeated request records it once.
    """
    row = await queries.lock_transaction_and_order(db, caller.company, transaction_id)
    match(row.version)
    updated_transaction = await service.record_payment(
        db,
        row,
        method=data.method,
        amount=data.amount,
        reference=data.reference,
        received_at=data.received_at,
    )
    await followers.notify_order(db, updated_transaction)
    return await transactions.to_out(db, updated_transaction)


EXPORT_OPTIONS: Final[dict[str, Any]] = {
    "responses": {200: {export.MEDIA_TYPE: {"type": "string"}}}
}


@get("/transactions/export", opt=EXPORT_OPTIONS, problems=[NotFound, TooManyStreams])
async def export_transactions(
    company: UUID, filters: TransactionExportFilters, exchange: Exchange, db: Db
) -> StreamedResponse:
    """Download all transactions that match the filters as CSV, oldest first, or their charges.

    Amounts are in major units, such as `14.96`.
    """
    return await export.start_export(exchange, db, company, filters)


CHECKOUT_PROBLEMS: Final = [AlreadyPaid, AlreadyVoid, GatewayNotConfigured, GatewayIsTest]
checkout = post(f"{ONE}/checkout", status_code=200, problems=CHECKOUT_PROBLEMS)(create_checkout)
checkout_by_operator = post(
    f"{ONE}/checkout",
    status_code=200,
    before_request=auth.require_money_role("open_checkout"),
    problems=CHECKOUT_PROBLEMS,
)(create_checkout)
REFUND_PROBLEMS: Final = [
    NothingToRefund,
    TooManyEntries,
    GatewayNotConfigured,
    GatewayIsTest,
    PreconditionFailed,
]
refund = post(
    f"{ONE}/refund",
    status_code=200,
    problems=REFUND_PROBLEMS,
)(create_refund)
refund_by_operator = post(
    f"{ONE}/refund",
    status_code=200,
    before_request=auth.require_money_role("refund"),
    problems=REFUND_PROBLEMS,
)(create_refund)
PAYMENT_PROBLEMS: Final = [AlreadyPaid, AlreadyVoid, TooManyEntries, PreconditionFailed]
payment = post(
    f"{ONE}/payments",
    status_code=201,
    problems=PAYMENT_PROBLEMS,
)(create_payment)
payment_by_operator = post(
    f"{ONE}/payments",
    status_code=201,
    before_request=auth.require_money_role("record_payment"),
    problems=PAYMENT_PROBLEMS,
)(create_payment)
routers: Final = (
    api_routers.api_router(
        "Transactions",
        "transactions",
        [*transactions.make_handlers(), checkout, refund, payment],
    ),
    api_routers.operator_router(
        "Transactions",
        "viewer",
        [
            *transactions.make_handlers(with_envelope=True),
            export_transactions,
            void_transaction,
            refund_by_operator,
            payment_by_operator,
            checkout_by_operator,
        ],
    ),
)
