"""Checkout pages, requested from the gateway outside transactions.

A page is recorded first, then requested from the gateway, then the response is recorded. A crash in
between leaves a row from which the worker requests the same page.
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, TypeVar
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Actor, Database, Db
from pannier.errors import Problem, Unavailable, parse_field
from pannier.payments import facts, return_urls
from pannier.payments.gateway import (
    CheckoutRequest,
    Gateway,
    GatewayIsTest,
    GatewayMisconfigured,
    GatewayNotConfigured,
    OpenCheckout,
    check_mode,
)
from pannier.payments.settlement import GatewayFact
from pannier.payments.transactions import queries, service
from pannier.payments.transactions.models import Checkout, Transaction
from pannier.payments.transactions.queries import TRANSACTIONS
from pannier.payments.transactions.service import AlreadyPaid, AlreadyVoid
from pannier.web.logs import log

# These problems may end: the settings are corrected, or the gateway recovers.
TRANSIENT_PROBLEMS: Final = (Unavailable, GatewayMisconfigured, GatewayNotConfigured)
# A gateway remembers idempotency keys for a day. Later the same request would make another page.
IDEMPOTENCY_PERIOD: Final = timedelta(hours=23)
# How long after its expiry to ask about a page that the gateway has not reported on.
CHECK_AFTER_EXPIRY: Final = timedelta(minutes=10)
# How long to ask about a payment on a page that the gateway no longer knows. Even a bank debit, the
# slowest payment, is decided within two weeks.
MAX_PAYMENT_WAIT: Final = timedelta(days=30)
Response = TypeVar("Response")


async def open_requested_page(
    database: Database, gateway: Gateway, transaction: Transaction
) -> None:
    """Open the requested page of a transaction, after the commit of the request.

    If the gateway is unavailable, the worker continues later. The transaction's page meanwhile has
    the status `preparing`.
    """
    async with database.reading() as db:
        pages = await queries.list_checkouts(db, transaction.company, [transaction.uuid])
    for page in pages:
        if page.state == "wanted" and page.gateway == gateway.name:
            await open_page(database, gateway, page)


async def open_page(database: Database, gateway: Gateway, page: Checkout) -> None:
    """Request a page from the gateway, and record the response."""
    session = await _ask_gateway(database, gateway, page, gateway.create_checkout)
    if session is not None:
        await _record_page(database, page, session)


async def close_page(database: Database, gateway: Gateway, page: Checkout) -> None:
    """Close a page, and record its outcome: it may have been paid at the last moment."""

    async def expire_page(checkout_request: CheckoutRequest) -> list[GatewayFact]:
        # A crash may have lost the gateway's response. The same request returns the same page.
        session = page.session or (await gateway.create_checkout(checkout_request)).session
        return await gateway.expire_checkout(session, page.uuid)

    gateway_facts = await _ask_gateway(database, gateway, page, expire_page)
    if gateway_facts is not None:
        await _record_facts(database, gateway, gateway_facts)


async def _ask_gateway(
    database: Database,
    gateway: Gateway,
    page: Checkout,
    send_request: Callable[[CheckoutRequest], Awaitable[Response]],
) -> Response | None:
    """Ask the gateway about a page. Return None if it is unavailable, or if the page has ended."""
    async with database.reading() as db:
        request = await _build_request(db, page)
        is_served = await service.can_take_payments(db, page.company, gateway)
        now = db.now
    if not is_served:
        await _end_page(database, page, "declined", error=GatewayIsTest.code)
        return None
    if page.session is None and page.created_at < now - IDEMPOTENCY_PERIOD:
        await _end_page(database, page, "expired")
        return None
    try:
        return await send_request(request)
    except TRANSIENT_PROBLEMS:
        return None
    except Problem as problem:
        await _end_page(database, page, "declined", error=problem.code)
        return None


async def check_page(database: Database, gateway: Gateway, page: Checkout) -> None:
    """Ask the gateway about a page in progress. Give up after 30 days if it has lost the page."""
    try:
        gateway_facts = await gateway.fetch_checkout(page.session or "")
    except TRANSIENT_PROBLEMS:
        return
    except Problem as problem:
        if page.created_at < database.clock.now() - MAX_PAYMENT_WAIT:
            log.error("payment given up", checkout=str(page.uuid), refusal=problem.code)
            await _end_page(database, page, "expired", error=problem.code)
        return
    await _record_facts(database, gateway, gateway_facts)


async def _record_facts(
    database: Database, gateway: Gateway, gateway_facts: list[GatewayFact]
) -> None:
    async with database.transaction() as db:
        await facts.record_facts(db, gateway, *gateway_facts)


async def offer_page(
    database: Database,
    gateway: Gateway,
    company: UUID,
    identifier: str,
    *,
    return_url: str | None,
    actor: Actor,
) -> Transaction:
    """Offer a page for the amount still owed: an existing one if usable, else a new one.

    A page that returns to another URL is replaced, because gateways cannot change a page.
    """
    async with database.transaction() as db:
        db.actor = actor
        transaction = await TRANSACTIONS.lock(db, company, identifier)
        pages = await queries.list_checkouts(db, company, [transaction.uuid])
        await _check_payable(db, transaction, gateway, pages)
        if not any(_is_usable(page, transaction, gateway, db.now, return_url) for page in pages):
            await facts.close_checkouts(db, transaction)
            await service.request_checkout(db, transaction, gateway, return_url)
            transaction, _ = await TRANSACTIONS.change(db, transaction, gateway=gateway.name)
    await open_requested_page(database, gateway, transaction)
    return transaction


async def _check_payable(
    db: Db, transaction: Transaction, gateway: Gateway, pages: Sequence[Checkout]
) -> None:
    if transaction.voided_at is not None:
        raise AlreadyVoid
    # A payment in another currency settles nothing, but its payer must not have to pay again. After
    # a lost dispute, they must.
    has_paid_page = any(page.state == "paid" for page in pages)
    is_settled_otherwise = (
        has_paid_page and not transaction.amount_paid and not transaction.amount_disputed
    )
    if not transaction.is_open or is_settled_otherwise:
        raise AlreadyPaid
    check_mode(gateway, (await company_settings.load(db, transaction.company)).mode)


def _is_usable(
    page: Checkout,
    transaction: Transaction,
    gateway: Gateway,
    now: datetime,
    return_url: str | None,
) -> bool:
    """Return whether a payer can use a page now or soon, or its payment is in progress."""
    is_outdated = page.get_amount(transaction) != transaction.balance
    if page.gateway != gateway.name or (is_outdated and page.state != "processing"):
        return False
    if page.state == "processing":
        return True
    is_unexpired = page.expires_at is None or page.expires_at > now
    is_live = page.state == "wanted" or (page.state == "open" and is_unexpired)
    return is_live and return_url in {None, page.return_url}


async def parse_return_url(db: Db, company: UUID, url_text: str | None) -> str | None:
    """Validate the field `return_url` of a company's request."""
    if not url_text:
        return None
    mode = (await company_settings.load(db, company)).mode
    return parse_field(
        "return_url", lambda url: return_urls.validate_return_url(url, mode), url_text
    )


async def _build_request(db: Db, page: Checkout) -> CheckoutRequest:
    transaction = await TRANSACTIONS.get(db, page.company, page.transaction)
    return CheckoutRequest(
        checkout=page.uuid,
        transaction=transaction.public_id,
        # A constant title, because a repeated request must be equal and the order may come later.
        title=f"Delivery {transaction.public_id}",
        amount=page.get_amount(transaction),
        currency=transaction.currency,
        return_url=page.return_url,
    )


async def _record_page(database: Database, page: Checkout, session: OpenCheckout) -> None:
    """Record an opened page. If it must be closed meanwhile, the worker closes it next."""
    async with database.transaction() as db:
        transaction = await TRANSACTIONS.lock(db, page.company, page.transaction)
        row_count = await db.execute(
            """update checkouts set session = :session, url = :url, expires_at = :expires_at,
                   state = case when state = 'wanted' then 'open' else state end,
                   due_at = case when state = 'wanted' then :late else due_at end,
                   attempts = 0, error = null
               where company = :company and uuid = :uuid and session is null
                 and state in ('wanted', 'closing')""",
            company=page.company,
            uuid=page.uuid,
            session=session.session,
            url=session.url,
            expires_at=session.expires_at,
            late=(session.expires_at or db.now + timedelta(days=1)) + CHECK_AFTER_EXPIRY,
        )
        if row_count:
            await TRANSACTIONS.touch(db, transaction)


async def _end_page(
    database: Database, page: Checkout, state: str, *, error: str | None = None
) -> None:
    """End a page that could not be opened or is gone, unless its state has changed meanwhile."""
    async with database.transaction() as db:
        transaction = await TRANSACTIONS.lock(db, page.company, page.transaction)
        await db.execute(
            """update checkouts set state = :state, error = :error, due_at = null, return_url = null
               where company = :company and uuid = :uuid and state = :current_state""",
            company=page.company,
            uuid=page.uuid,
            current_state=page.state,
            state=state,
            error=error,
        )
        await TRANSACTIONS.touch(db, transaction)
