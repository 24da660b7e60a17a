"""Verbs of quotes: accepted once, by whoever pays; chosen for an order that nobody chose one for.

Whoever accepts for an order holds the order: of two at once, one is refused.
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
    """What the quote rested on has changed since, and newer ones stand in its place."""

    code = "quote_replaced"
    title = "The order has changed since this quote was made; look at its new quotes."


class QuoteStale(Conflict):
    """The quote was made for something else than this order moves."""

    code = "quote_stale"
    title = "The quote was made for another shipment; ask for a new one for this order."


class AlreadyAccepted(Conflict):
    """An order accepts one quote, and a quote is accepted for one order."""

    code = "quote_already_accepted"
    title = "A quote was accepted already; an order has one, and a quote one order."


class PriceRequired(Conflict):
    """The company dispatches no order without a price."""

    code = "price_required"
    title = "The order has no price; this company dispatches priced orders only."


class PaymentRequired(Conflict):
    """The company dispatches no order before it is paid."""

    code = "payment_required"
    title = "The order is not paid; this company dispatches paid orders only."


class Accepted(msgspec.Struct, frozen=True):
    """What is owed; `new` when it was not before."""

    transaction: Transaction
    new: bool


async def accept(db: Db, company: UUID, name: str, given: Accepting) -> Accepted:
    """Accept a quote by its identifier, for an order or by itself; again, the same is owed.

    A signed quote carries its price in its name, and is kept once it is accepted. Every other one
    is kept already: for its order, or because it was accepted without one.
    """
    held = None if given.order is None else await _hold(db, company, given.order)
    if signing.is_signed(name):
        return await _accept_signed(db, company, name, given, held)
    quote = await QUOTES.get(db, company, name)
    if quote.order_id is None and held is None:
        return await _find_debt(db, quote)
    if quote.order_id is None:
        # Taken, because another request may link it to another order at this moment.
        return await _accept_kept(db, held, await QUOTES.take(db, company, name), given)
    held = held or await _hold(db, company, quote.order_id)
    if held.order.uuid != quote.order_uuid and quote.signature is not None:
        raise AlreadyAccepted
    if held.order.uuid != quote.order_uuid:
        raise Invalid(fields=[Field("order", "This quote was made for another order.")])
    # Read again, because it may have changed before the order was held.
    return await accept_for(db, held, await QUOTES.get(db, company, name), given)


async def accept_new(db: Db, held: Aggregate, name: str, given: Accepting) -> None:
    """Accept a signed quote for an order that is just being placed."""
    try:
        await _accept_signed(db, held.order.company, name, given, held)
    except NotFound:
        raise NotFound(fields=[Field("service_quote", "There is no such quote.")]) from None


async def _hold(db: Db, company: UUID, identifier: str) -> Aggregate:
    return await Aggregate.of(db, await ORDERS.named(db, company, "order", identifier, hold=True))


async def _accept_signed(
    db: Db, company: UUID, name: str, given: Accepting, held: Aggregate | None
) -> Accepted:
    """Accept a signed quote, and keep it with the order it is for."""
    signature = hashlib.sha256(name.encode()).digest()
    kept = await queries.signed(db, company, signature)
    if kept is not None:
        return await _accept_kept(db, held, kept, given)
    signed = signing.read(db, company, name)
    if given.store not in {None, signed.store}:
        raise NotFound
    # Of two requests that accept it at once, the second waits here and finds it kept.
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
    """Accept a signed quote again: for its order, or for the first one it is linked to."""
    if quote.state == "replaced":
        # Its bill was voided, and the quote may have expired since.
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
    """Accept one of the quotes of an order that is held."""
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
    """Make the row of a signed quote."""
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
    """Refuse an order that owes by a quote, or was cancelled before it was carried out.

    What was called off or given back in full is owed no more, and makes way for another quote.
    """
    if held.order.price_status == "accepted":
        raise AlreadyAccepted
    known = await queries.accepted(db, held.order.company, held.order.uuid)
    if known is not None:
        await QUOTES.change(db, known, state="replaced")
    if not held.order.is_chargeable:
        raise OrderClosed("The order was cancelled; no quote can be accepted for it.")


def _check_shipment(db: Db, held: Aggregate, quote: ServiceQuote) -> None:
    """Refuse a price that was found for something else than the order moves."""
    shipment = pricing.shipment_of(db, held)
    if shipment is None:
        raise QuoteStale
    fitting = [shipment]
    if shipment.cod_currency == quote.currency:
        # Found for cash of whatever amount, it is good for this one too.
        fitting.append(msgspec.structs.replace(shipment, cod_amount=None, cod_currency=None))
    marks = {signing.mark(each) for each in fitting}
    if quote.shipment not in marks:
        raise QuoteStale


async def _check_rate(db: Db, quote: ServiceQuote, at: datetime) -> None:
    """Refuse the price of a rate that was withdrawn, or does not apply at that moment."""
    if not await rates.is_offered(db, quote.company, quote.service_rate, at):
        raise QuoteExpired("The rate of this quote is not offered any more; ask for a new quote.")


async def _owe(
    db: Db, held: Aggregate | None, quote: ServiceQuote, given: Accepting
) -> Transaction:
    """Write down what is owed by a quote, and tie it to the order if there is one."""
    transaction = await owing.open_debt(db, quote, given, held)
    if held is None:
        await QUOTES.change(
            db, quote, state="accepted", accepted_at=db.now, transaction=transaction.public_id
        )
    else:
        await _link(db, held, quote, transaction)
    return transaction


async def _link(db: Db, held: Aggregate, quote: ServiceQuote, transaction: Transaction) -> None:
    """Tie a quote, what is owed by it and its order together."""
    await aggregate.changed(db, held, **await owing.link(db, held.order, quote, transaction))


async def renew(db: Db, held: Aggregate) -> list[ServiceQuote]:
    """Price an order again; what it could have accepted is replaced."""
    await _check_free(db, held)
    await queries.replace_open(db, held.order.company, held.order.uuid)
    await _price_anew(db, held)
    return await queries.open_quotes(db, held.order.company, held.order.uuid)


async def _price_anew(db: Db, held: Aggregate) -> None:
    """Price an order that has no open quotes, by where its places are now."""
    # Whoever is measured again is priced with that.
    if held.order.open and await aggregate.follow(db, held):
        return
    found = await pricing.price(db, held)
    await aggregate.changed(db, held, price_status=pricing.status_of(found))


class Choice(msgspec.Struct, frozen=True):
    """What an order could accept; `decided` when it has accepted something, owed or not."""

    quotes: list[ServiceQuote]
    decided: bool = False


async def choice(db: Db, held: Aggregate) -> Choice:
    """List what an order could still accept, unless it has accepted something.

    What was called off or refunded stays so until somebody has the order priced again.
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
    """Give an order that is being dispatched its price, and record it when it has none.

    The cheapest live quote is taken. Without one the order is priced once more. What a company
    demands of orders that go out, `dispatch_requires` says.
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
            # The price by road is attached in a moment; by the great circle it would stay wrong.
            return
        fresh = await queries.open_quotes(db, held.order.company, held.order.uuid)
        cheapest = await owing.find_cheapest(db, held, fresh)
    if cheapest is not None:
        await accept_for(db, held, cheapest, PAID_ELSEWHERE)


async def _check_requirement(db: Db, held: Aggregate) -> None:
    """Refuse to dispatch an order without the price or payment that its company demands."""
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
    """Update the price status of the order whose transaction changed.

    Once it is paid, the worker retries an order that it could not dispatch before.
    """
    try:
        order = await ORDERS.take(db, transaction.company, transaction.order_uuid or "")
    except NotFound:
        return  # it was deleted
    owed = await transactions.of_order(db, order.company, order.uuid)
    status = owing.status_by(order, owed)
    is_waiting = order.dispatch_after is not None and any(each.is_settled for each in owed)
    if status != order.price_status or is_waiting:
        await aggregate.changed(db, await Aggregate.of(db, order), price_status=status)
