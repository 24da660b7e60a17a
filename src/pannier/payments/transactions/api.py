"""Routes of transactions: keys and the console read them; the console voids and refunds them."""

from typing import Final

from pannier.accounts import auth, doors
from pannier.accounts.auth import Caller, FleetKey
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import checked
from pannier.payments import checkouts, returning
from pannier.payments.gateway import Gateway, GatewayIsTest, NotConfigured
from pannier.payments.transactions import followers, queries, service
from pannier.payments.transactions.queries import TRANSACTIONS
from pannier.payments.transactions.schemas import CheckoutIn, RefundIn, TransactionOut, VoidIn
from pannier.payments.transactions.service import AlreadyPaid, AlreadyVoid, NothingToRefund
from pannier.web.exchange import Exchange
from pannier.web.resources import read_only
from pannier.web.routes import post
from pannier.web.versions import Match, PreconditionFailed

transactions: Final = read_only(TRANSACTIONS, queries.page, queries.shown)

ONE: Final = "/transactions/{transaction_id:str}"


async def create_checkout(
    caller: FleetKey | Caller,
    transaction_id: str,
    data: CheckoutIn,
    exchange: Exchange,
    db: Db,
    gateway: Gateway,
) -> TransactionOut:
    """Offer a page on which the transaction can be paid: the existing one, or else a new one."""
    mode = (await company_settings.of(db, caller.company)).mode
    back = data.return_url and checked(
        "return_url", lambda url: returning.checked(url, mode), data.return_url
    )
    actor = db.actor
    async with exchange.edge.outside(exchange):
        row = await checkouts.renew(
            exchange.edge.database,
            gateway,
            caller.company,
            transaction_id,
            return_url=back,
            actor=actor,
        )
    return await transactions.shown(db, await TRANSACTIONS.get(db, row.company, row.uuid))


@post(
    f"{ONE}/void",
    status_code=200,
    before_request=auth.operator("dispatcher"),
    problems=[AlreadyPaid, PreconditionFailed],
)
async def void_transaction(
    caller: Caller, transaction_id: str, data: VoidIn, match: Match, db: Db
) -> TransactionOut:
    """Void an unpaid transaction, and close its checkout page."""
    row = await queries.take_with_order(db, caller.company, transaction_id)
    match(row.version)
    voided = await service.void(db, row, data.reason)
    await followers.notify(db, voided)
    return await transactions.shown(db, voided)


@post(
    f"{ONE}/refund",
    status_code=200,
    before_request=auth.operator("admin"),
    problems=[NothingToRefund, NotConfigured, GatewayIsTest, PreconditionFailed],
)
async def refund_transaction(
    caller: Caller, transaction_id: str, data: RefundIn, match: Match, db: Db, gateway: Gateway
) -> TransactionOut:
    """Refund a transaction in full or in part. The refund's status changes a moment later."""
    row = await TRANSACTIONS.take(db, caller.company, transaction_id)
    match(row.version)
    refunded = await service.refund(db, row, gateway, data.amount, data.reason)
    return await transactions.shown(db, refunded)


PAGING: Final = [AlreadyPaid, AlreadyVoid, NotConfigured, GatewayIsTest]
checkout = post(f"{ONE}/checkout", status_code=200, problems=PAGING)(create_checkout)
checkout_by_operator = post(
    f"{ONE}/checkout",
    status_code=200,
    before_request=auth.operator("dispatcher"),
    problems=PAGING,
)(create_checkout)
routers: Final = (
    doors.for_keys("Transactions", "transactions", [*transactions.handlers(), checkout]),
    doors.for_operators(
        "Transactions",
        "viewer",
        [
            *transactions.handlers(wrapped=True),
            void_transaction,
            refund_transaction,
            checkout_by_operator,
        ],
    ),
)
