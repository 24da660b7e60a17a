"""Accepting quotes, and choosing one for an order at dispatch.

Accepting for an order locks the order, so of two concurrent requests one is rejected.
"""

import hashlib
from datetime import datetime
from uuid import UUID

import msgspec

from pannier.accounts import audit
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import Conflict, Field, Invalid, NotFound
from pannier.orders import aggregate
from pannier.orders.aggregate import OrderClosed
from pannier.orders.queries import ORDERS
from pannier.orders.quotes import owing, pricing, queries
from pannier.orders.quotes.models import ServiceQuote
from pannier.orders.quotes.owing import PAID_ELSEWHERE, Accepting
from pannier.orders.quotes.queries import QUOTES
from pannier.orders.views import Aggregate
from pannier.payments.transactions import followers
from pannier.payments.transactions import queries as transactions
from pannier.payments.transactions import service as billing
from pannier.payments.transactions.models import Transaction
from pannier.payments.transactions.queries import TRANSACTIONS
from pannier.rates import queries as rates
from pannier.rates.quotes import quoting, signing
from pannier.rates.quotes.signing import QuoteExpired, SignedQuote


class QuoteReplaced(Conflict):
    """The order has changed since this quote was made, and newer quotes replace it."""

    code = "quote_replaced"
    title = "The order has changed since this quote."
    remedy = "Accept one of its new quotes."


class QuoteStale(Conflict):
    """The quote was made for a different shipment."""

    code = "quote_stale"
    title = "The quote is for a different shipment."
    remedy = "Ask for a quote for this order."


class AlreadyAccepted(Conflict):
    """An order has one accepted quote, and a quote belongs to one order."""

    code = "quote_already_accepted"
    title = "This order already has an accepted quote."
    remedy = "Read it from the order."


class PriceRequired(Conflict):
    """The company requires a price before dispatch."""

    code = "price_required"
    title = "The order has no price."
    remedy = "Accept a quote first: this company dispatches only priced orders."


class PaymentRequired(Conflict):
    """The company requires payment before dispatch."""

    code = "payment_required"
    title = "The order is not paid."
    remedy = "Take the payment first: this company dispatches only paid orders."


class Accepted(msgspec.Struct, frozen=True):
    """The transaction of an accepted quote. `new` says that this request opened it."""

    transaction: Transaction
    new: bool


async def accept(db: Db, company: UUID, name: str, given: Accepting) -> Accepted:
    """Accept a quote by its identifier, for an order or without one. Idempotent.

    A signed quote contains its price and is stored once it is accepted. All other quotes are stored
    already.
    """
    held = None if given.order is None else await _hold(db, company, given.order)
    if signing.is_signed(name):
        return await _accept_signed(db, company, name, given, held)
    quote = await QUOTES.get(db, company, name)
    if quote.order_id is None and held is None:
        return await _find_debt(db, quote)
    if quote.order_id is None:
        # Locked, because another request may link it to another order at the same time.
        return await _accept_kept(db, held, await QUOTES.take(db, company, name), given)
    held = held or await _hold(db, company, quote.order_id)
    if held.order.uuid != quote.order_uuid and quote.signature is not None:
        raise AlreadyAccepted
    if held.order.uuid != quote.order_uuid:
        raise Invalid(fields=[Field("order", "This quote belongs to another order.")])
    # Read again, because it may have changed before the order was locked.
    return await accept_for(db, held, await QUOTES.get(db, company, name), given)


async def accept_new(db: Db, held: Aggregate, name: str, given: Accepting) -> None:
    """Accept a signed quote for an order that is being created."""
    try:
        await _accept_signed(db, held.order.company, name, given, held)
    except NotFound:
        raise NotFound(fields=[Field("service_quote", "There is no such quote.")]) from None


async def _hold(db: Db, company: UUID, identifier: str) -> Aggregate:
    return await Aggregate.of(db, await ORDERS.named(db, company, "order", identifier, hold=True))


async def _accept_signed(
    db: Db, company: UUID, name: str, given: Accepting, held: Aggregate | None
) -> Accepted:
    """Accept a signed quote, and store it with its order."""
    signature = hashlib.sha256(name.encode()).digest()
    kept = await queries.signed(db, company, signature)
    if kept is not None:
        return await _accept_kept(db, held, kept, given)
    signed = signing.read(db, company, name)
    if given.store not in {None, signed.store}:
        raise NotFound
    # A concurrent request for the same quote waits here, and then finds it stored.
    await queries.line_up(db, company, signature)
    kept = await queries.signed(db, company, signature)
    if kept is not None:
        return await _accept_kept(db, held, kept, given)
    quote = await _draft(db, company, signed, signature)
    at = signed.scheduled_at or db.now
    if held is not None:
        await _check_free(db, held)
        _check_shipment(db, held, quote)
        at = owing.moment_of(db, held.order)
    await _check_rate(db, quote, at)
    return Accepted(await _owe(db, held, await QUOTES.insert(db, quote), given), new=True)


async def _accept_kept(
    db: Db, held: Aggregate | None, quote: ServiceQuote, given: Accepting
) -> Accepted:
    """Accept a stored quote again: for its order, or for the first order it is linked to."""
    if quote.state == "replaced":
        # Its transaction was voided, and the quote may have expired since.
        raise QuoteReplaced
    if held is None or quote.order_uuid == held.order.uuid:
        return await _find_debt(db, quote)
    if quote.order_uuid is not None or given.store is not None:
        raise AlreadyAccepted
    await _check_free(db, held)
    _check_shipment(db, held, quote)
    transaction = await TRANSACTIONS.take(db, quote.company, quote.transaction or "")
    if not transaction.is_owed:
        raise AlreadyAccepted
    transaction = await billing.link_order(db, transaction, held.order.uuid)
    await _link(db, held, quote, transaction)
    return Accepted(transaction, new=False)


async def accept_for(db: Db, held: Aggregate, quote: ServiceQuote, given: Accepting) -> Accepted:
    """Accept a quote for a locked order."""
    if quote.state == "accepted":
        return await _find_debt(db, quote)
    await _check_free(db, held)
    if quote.state == "replaced":
        raise QuoteReplaced
    if quote.expired_at <= db.now:
        raise QuoteExpired
    if quote.shipment != owing.mark_now(db, held):
        raise QuoteReplaced
    await _check_rate(db, quote, owing.moment_of(db, held.order))
    return Accepted(await _owe(db, held, quote, given), new=True)


async def _find_debt(db: Db, quote: ServiceQuote) -> Accepted:
    """Find the transaction of a quote that was accepted before."""
    if quote.transaction is None:
        raise NotFound
    return Accepted(await TRANSACTIONS.get(db, quote.company, quote.transaction), new=False)


async def _draft(db: Db, company: UUID, signed: SignedQuote, signature: bytes) -> ServiceQuote:
    rate = await rates.version(db, company, signed.rate, signed.rate_version)
    return QUOTES.draft(
        db,
        company,
        created_at=signed.created_at,
        order_uuid=None,
        order_id=None,
        **pricing.columns_of(rate),
        amount=signed.amount,
        currency=signed.currency,
        items=list(signed.items),
        distance=signed.distance,
        time=signed.time,
        route_source=signed.source,
        shipment=signed.shipment,
        signature=signature,
        state="open",
        expired_at=signed.expired_at,
    )


async def _check_free(db: Db, held: Aggregate) -> None:
    """Reject an order that has an accepted quote or was canceled.

    A voided or fully refunded transaction makes room for another quote.
    """
    if held.order.price_status == "accepted":
        raise AlreadyAccepted
    known = await queries.accepted(db, held.order.company, held.order.uuid)
    if known is not None:
        await QUOTES.change(db, known, state="replaced")
    if not held.order.is_chargeable:
        raise OrderClosed("The order was cancelled. No quote can be accepted for it.")


def _check_shipment(db: Db, held: Aggregate, quote: ServiceQuote) -> None:
    """Reject a quote that was made for a different shipment."""
    shipment = pricing.shipment_of(db, held)
    if shipment is None:
        raise QuoteStale
    fitting = [shipment]
    if shipment.cod_currency == quote.currency:
        # A quote for cash on delivery of any amount also covers this amount.
        fitting.append(msgspec.structs.replace(shipment, cod_amount=None, cod_currency=None))
    marks = {signing.mark(each) for each in fitting}
    if quote.shipment not in marks:
        raise QuoteStale


async def _check_rate(db: Db, quote: ServiceQuote, at: datetime) -> None:
    """Reject a rate that was withdrawn or does not apply at that time."""
    if not await rates.is_offered(db, quote.company, quote.service_rate, at):
        raise QuoteExpired("The rate of this quote is no longer offered. Ask for a new quote.")


async def _owe(
    db: Db, held: Aggregate | None, quote: ServiceQuote, given: Accepting
) -> Transaction:
    """Open the transaction of a quote, and link it to the order if there is one."""
    transaction = await owing.open_debt(db, quote, given, held)
    if held is None:
        await QUOTES.change(
            db, quote, state="accepted", accepted_at=db.now, transaction=transaction.public_id
        )
    else:
        await _link(db, held, quote, transaction)
    return transaction


async def _link(db: Db, held: Aggregate, quote: ServiceQuote, transaction: Transaction) -> None:
    await aggregate.changed(db, held, **await owing.link(db, held.order, quote, transaction))


async def renew(db: Db, held: Aggregate) -> list[ServiceQuote]:
    """Reprice an order, and replace its open quotes."""
    await _check_free(db, held)
    await queries.replace_open(db, held.order.company, held.order.uuid)
    await _price_anew(db, held)
    return await queries.open_quotes(db, held.order.company, held.order.uuid)


async def _price_anew(db: Db, held: Aggregate) -> None:
    """Price an order without open quotes, with the present coordinates of its places."""
    # Remeasuring reprices the order as well.
    if held.order.open and await aggregate.follow(db, held):
        return
    found = await pricing.price(db, held)
    await aggregate.changed(db, held, price_status=pricing.status_of(found))


class Choice(msgspec.Struct, frozen=True):
    """The quotes that an order could accept. `decided` if it has already accepted one."""

    quotes: list[ServiceQuote]
    decided: bool = False


async def choice(db: Db, held: Aggregate) -> Choice:
    """Load the quotes that an order could accept, unless it has accepted one.

    A voided or refunded quote counts as accepted until somebody reprices the order.
    """
    order = held.order
    if order.price_status == "accepted":
        return Choice([], decided=True)
    if order.transaction is not None and await queries.accepted(db, order.company, order.uuid):
        return Choice([], decided=True)
    if order.price_status == "unpriced":
        return Choice([])
    return Choice(await queries.open_quotes(db, order.company, order.uuid))


async def attach(db: Db, held: Aggregate, choice: Choice) -> None:
    """Attach a price to an order that is being dispatched, or record that it has none.

    The cheapest valid quote is accepted. Without one, the order is repriced once. The setting
    `dispatch_requires` says whether a price or a payment is mandatory.
    """
    if not choice.decided:
        await _take_cheapest(db, held, choice.quotes)
    await _check_requirement(db, held)
    if held.order.price_status == "accepted":
        return
    await aggregate.changed(db, held, price_status="unpriced")
    audit.record(db, held.order.company, "dispatched_unpriced", held.order.public_id)


async def _take_cheapest(db: Db, held: Aggregate, quotes: list[ServiceQuote]) -> None:
    cheapest = await owing.find_cheapest(db, held, quotes)
    if cheapest is None:
        if quotes:
            await queries.replace_open(db, held.order.company, held.order.uuid)
        elif not await quoting.has_rates(db, held.order.company):
            return
        await _price_anew(db, held)
        if held.order.price_status != "priced":
            return
        if await aggregate.is_being_measured(db, held.order):
            # The worker attaches the price by road soon. A price by great circle would stay wrong.
            return
        fresh = await queries.open_quotes(db, held.order.company, held.order.uuid)
        cheapest = await owing.find_cheapest(db, held, fresh)
    if cheapest is not None:
        await accept_for(db, held, cheapest, PAID_ELSEWHERE)


async def _check_requirement(db: Db, held: Aggregate) -> None:
    """Reject the dispatch of an order without the price or payment its company requires."""
    order = held.order
    required = (await company_settings.of(db, order.company)).dispatch_requires
    if required == "nothing":
        return
    if order.price_status != "accepted":
        raise PriceRequired
    if required == "price":
        return
    owed = await transactions.of_order(db, order.company, order.uuid)
    if not any(each.is_settled for each in owed):
        raise PaymentRequired


@followers.follow.register
async def follow_debt(db: Db, transaction: Transaction) -> None:
    """Update the price status of an order whose transaction has changed.

    After the payment, the worker retries an order that it could not dispatch before.
    """
    try:
        order = await ORDERS.take(db, transaction.company, transaction.order_uuid or "")
    except NotFound:
        return  # the order was deleted
    owed = await transactions.of_order(db, order.company, order.uuid)
    status = owing.status_by(order, owed)
    is_waiting = order.dispatch_after is not None and any(each.is_settled for each in owed)
    if status != order.price_status or is_waiting:
        await aggregate.changed(db, await Aggregate.of(db, order), price_status=status)
