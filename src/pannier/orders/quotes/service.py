"""Verbs of quotes: accepted once, by whoever pays; chosen for an order that nobody chose one for.

Whoever accepts for an order holds the order: of two at once, one is refused.
"""

import hashlib
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.db.row import Named
from pannier.errors import Conflict, Field, Invalid, NotFound
from pannier.orders import aggregate
from pannier.orders import queries as orders
from pannier.orders.aggregate import Aggregate, OrderClosed
from pannier.orders.queries import ORDERS
from pannier.orders.quotes import pricing, queries
from pannier.orders.quotes.models import ServiceQuote
from pannier.orders.quotes.queries import QUOTES
from pannier.partners.models import Contact, Vendor
from pannier.payments.gateway import Gateway, NoGateway
from pannier.payments.transactions import service as transactions
from pannier.payments.transactions.models import Line, Transaction
from pannier.payments.transactions.queries import TRANSACTIONS
from pannier.rates import queries as rates
from pannier.rates.quotes import signing
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


class Accepting(msgspec.Struct, frozen=True, kw_only=True):
    """For what a quote is accepted, by whom, and how it is paid."""

    gateway: Gateway = NoGateway()
    order: str | None = None
    customer: str | None = None
    return_url: str | None = None
    # The shop in which a signed quote must have been made.
    store: UUID | None = None
    # Whether whoever accepts gets the page to pay on by themselves, or leaves that to the worker.
    fetched: bool = True


PAID_ELSEWHERE: Final = Accepting()


class Accepted(msgspec.Struct, frozen=True):
    """What is owed; `new` when it was not before."""

    transaction: Transaction
    new: bool


async def accept(db: Db, company: UUID, name: str, given: Accepting) -> Accepted:
    """Accept a quote that was signed, or one of an order; again, the same is owed."""
    held = None if given.order is None else await _held(db, company, given.order)
    if signing.is_signed(name):
        return await _accept_signed(db, company, name, given, held)
    quote = await QUOTES.get(db, company, name)
    if held is not None and quote.order_uuid is None:
        # Held as by its signed name: another may tie it to another order at this moment.
        quote = await QUOTES.take(db, company, name)
    if quote.order_uuid is None or quote.order_id is None:
        return await _once_more(db, held, quote, given)
    if held is None:
        held = await _held(db, company, quote.order_id)
    if held.order.uuid != quote.order_uuid and quote.signature is not None:
        raise AlreadyAccepted
    if held.order.uuid != quote.order_uuid:
        raise Invalid(fields=[Field("order", "This quote was made for another order.")])
    return await accept_for(db, held, await QUOTES.get(db, company, name), given)


async def accept_for(db: Db, held: Aggregate, quote: ServiceQuote, given: Accepting) -> Accepted:
    """Accept one of the quotes of an order that is held."""
    if quote.state == "accepted":
        return await _again(db, quote)
    await _check_free(db, held)
    if quote.state == "replaced":
        raise QuoteReplaced
    if quote.expired_at <= db.now:
        raise QuoteExpired
    if quote.shipment != _present(db, held):
        raise QuoteReplaced
    await _check_rate(db, quote.company, quote.service_rate)
    return Accepted(await _owe(db, held, quote, given), new=True)


async def accept_new(db: Db, held: Aggregate, name: str, given: Accepting) -> None:
    """Accept a signed quote for an order that is just being placed."""
    try:
        await _accept_signed(db, held.order.company, name, given, held)
    except NotFound:
        raise NotFound(fields=[Field("service_quote", "There is no such quote.")]) from None


async def _accept_signed(
    db: Db, company: UUID, name: str, given: Accepting, held: Aggregate | None
) -> Accepted:
    """Accept a quote that nobody kept: what it says is written down with the order it is for."""
    signature = hashlib.sha256(name.encode()).digest()
    known = await queries.signed(db, company, signature)
    if known is None:
        signed = signing.read(db, company, name)
        if given.store not in {None, signed.store}:
            raise NotFound
        known = await _written(db, company, signed, signature)
    if known.state == "accepted":
        return await _once_more(db, held, known, given)
    if known.state == "replaced":
        # It was accepted, and what was owed by it called off: its time may have passed since.
        raise QuoteReplaced
    if held is not None:
        await _check_free(db, held)
        _check_shipment(db, held, known)
    await _check_rate(db, company, known.service_rate)
    return Accepted(await _owe(db, held, known, given), new=True)


async def _held(db: Db, company: UUID, identifier: str) -> Aggregate:
    return await Aggregate.of(db, await ORDERS.named(db, company, "order", identifier, hold=True))


async def _written(db: Db, company: UUID, signed: SignedQuote, signature: bytes) -> ServiceQuote:
    """Write a signed quote down; of two who do so at once, the second waits and reads."""
    rate = await rates.version(db, company, signed.rate, signed.rate_version)
    row = QUOTES.draft(
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
    await queries.line_up(db, company, signature)
    known = await queries.signed(db, company, signature)
    return known or await QUOTES.insert(db, row)


async def _once_more(
    db: Db, held: Aggregate | None, known: ServiceQuote, given: Accepting
) -> Accepted:
    """Answer for a signed quote that was accepted: its order again, or the first one it is for."""
    if held is None or known.order_uuid == held.order.uuid:
        return await _again(db, known)
    if known.order_uuid is not None or given.store is not None:
        raise AlreadyAccepted
    await _check_free(db, held)
    _check_shipment(db, held, known)
    transaction = await TRANSACTIONS.take(db, known.company, known.transaction or "")
    if transaction.voided_at is not None:
        raise AlreadyAccepted
    transaction, _ = await TRANSACTIONS.change(db, transaction, order_uuid=held.order.uuid)
    await _link(db, held, known, transaction)
    return Accepted(transaction, new=False)


async def _again(db: Db, quote: ServiceQuote) -> Accepted:
    """Answer what is owed by a quote that was accepted before."""
    if quote.transaction is None:
        raise NotFound
    return Accepted(await TRANSACTIONS.get(db, quote.company, quote.transaction), new=False)


async def _check_free(db: Db, held: Aggregate) -> None:
    """Refuse an order that is over, or owes by a quote; one that was called off is over."""
    known = await queries.accepted(db, held.order.company, held.order.uuid)
    if known is not None:
        owed = await TRANSACTIONS.take(db, known.company, known.transaction or "")
        if owed.voided_at is None:
            raise AlreadyAccepted
        await QUOTES.change(db, known, state="replaced")
    if not held.order.open:
        raise OrderClosed("The order is over; no quote can be accepted for it.")


def _check_shipment(db: Db, held: Aggregate, quote: ServiceQuote) -> None:
    """Refuse a price that was found for something else than the order moves."""
    places = held.shown.payloads.places
    shipment = pricing.shipment_of(db, held.order, held.whole, places)
    if shipment is None:
        raise QuoteStale
    fitting = [shipment]
    if shipment.cod_currency == quote.currency:
        # Found for cash of whatever amount, it is good for this one too.
        fitting.append(msgspec.structs.replace(shipment, cod_amount=None, cod_currency=None))
    marks = {signing.mark(each, held.order.scheduled_at) for each in fitting}
    if quote.shipment not in marks:
        raise QuoteStale


def _present(db: Db, held: Aggregate) -> bytes | None:
    """Tell what an order's own quotes rest on as it is now; while it owes, they are not renewed."""
    shipment = pricing.shipment_of(db, held.order, held.whole, held.shown.payloads.places)
    return None if shipment is None else pricing.mark_of(shipment, held.order)


async def _check_rate(db: Db, company: UUID, rate: UUID) -> None:
    """Refuse the price of a rate that has been withdrawn."""
    if not await rates.is_offered(db, company, rate):
        raise QuoteExpired("The rate of this quote is not offered any more; ask for a new quote.")


async def _owe(
    db: Db, held: Aggregate | None, quote: ServiceQuote, given: Accepting
) -> Transaction:
    """Write down what is owed by a quote, line by line."""
    order = None if held is None else Named(held.order.uuid, held.order.public_id)
    transaction = await transactions.open_transaction(
        db,
        quote.company,
        lines=[Line(line.code, line.details, line.amount) for line in quote.items],
        currency=quote.currency,
        gateway=given.gateway,
        order=order,
        quote=Named(quote.uuid, quote.public_id),
        customer=await _payer(db, held, quote.company, given.customer),
        return_url=given.return_url,
        fetched=given.fetched,
    )
    if held is None:
        await QUOTES.change(
            db, quote, state="accepted", accepted_at=db.now, transaction=transaction.public_id
        )
    else:
        await _link(db, held, quote, transaction)
    return transaction


async def _link(db: Db, held: Aggregate, quote: ServiceQuote, transaction: Transaction) -> None:
    """Tie a quote, what is owed by it and its order together."""
    await QUOTES.change(
        db,
        quote,
        state="accepted",
        accepted_at=quote.accepted_at or db.now,
        transaction=transaction.public_id,
        order_uuid=held.order.uuid,
        order_id=held.order.public_id,
    )
    await aggregate.changed(
        db, held, service_quote=quote.public_id, transaction=transaction.public_id
    )


async def _payer(
    db: Db, held: Aggregate | None, company: UUID, customer: str | None
) -> Contact | Vendor | None:
    """Find who pays: whom the caller names, or whom the order is for."""
    if customer is not None:
        return await orders.partner(db, company, "customer", customer)
    if held is None or held.order.customer is None:
        return None
    known = held.shown.payloads
    return known.contacts.get(held.order.customer) or known.vendors.get(held.order.customer)


async def renew(db: Db, held: Aggregate) -> list[ServiceQuote]:
    """Price an open order again; what it could have accepted is replaced."""
    await _check_free(db, held)
    await queries.replace_open(db, held.order.company, held.order.uuid)
    # Who is measured again is priced with that.
    if not await aggregate.follow(db, held):
        await pricing.price(db, held.order, held.whole, held.shown.payloads.places)
    return await queries.open_quotes(db, held.order.company, held.order.uuid)


async def choice(db: Db, held: Aggregate) -> list[ServiceQuote]:
    """List what an order could still accept, unless it has accepted something.

    What was called off stays so until somebody has the order priced again.
    """
    order = held.order
    if order.transaction is not None and await queries.accepted(db, order.company, order.uuid):
        return []
    return await queries.open_quotes(db, order.company, order.uuid)


async def attach(db: Db, held: Aggregate, choice: list[ServiceQuote]) -> None:
    """Choose the cheapest quote for an order that is handed out before anybody has chosen one.

    Prices that have expired, or rest on what is not so any more, are found anew. Amounts of several
    currencies do not compare: the company's own goes first.
    """
    alive = await _alive(db, held, choice)
    if choice and not alive:
        alive = await _alive(db, held, await renew(db, held))
    if not alive:
        return
    home = (await company_settings.of(db, held.order.company)).currency
    cheapest = min(alive, key=lambda quote: (quote.currency != home, quote.amount))
    await accept_for(db, held, cheapest, PAID_ELSEWHERE)


async def _alive(db: Db, held: Aggregate, quotes: list[ServiceQuote]) -> list[ServiceQuote]:
    """Choose those that have not expired, fit the order, and whose rates are still offered."""
    present = _present(db, held)
    return [
        quote
        for quote in quotes
        if quote.expired_at > db.now
        and quote.shipment == present
        and await rates.is_offered(db, quote.company, quote.service_rate)
    ]
