"""Acceptance of quotes, by request or at dispatch.

Accepting a quote for an order locks the order, so one of two concurrent requests is rejected.
"""

import hashlib
from uuid import UUID

import msgspec

from pannier.accounts import audit
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid, NotFound
from pannier.orders import aggregate
from pannier.orders.aggregate import OrderClosed
from pannier.orders.queries import ORDERS
from pannier.orders.quotes import checks, debts, pricing, queries, standing
from pannier.orders.quotes.debts import DEFAULT_TERMS, AcceptanceTerms
from pannier.orders.quotes.models import ServiceQuote
from pannier.orders.quotes.pricing import QuoteReplaced
from pannier.orders.quotes.queries import QUOTES
from pannier.orders.views import OrderAggregate
from pannier.payments.transactions import followers
from pannier.payments.transactions import queries as transactions
from pannier.payments.transactions import service as billing
from pannier.payments.transactions.models import Transaction
from pannier.payments.transactions.queries import TRANSACTIONS
from pannier.rates import queries as rates
from pannier.rates.quotes import quoting, signing
from pannier.rates.quotes.signing import QuoteExpired, SignedQuote


class QuoteNotFirm(Conflict):
    """An estimate is accepted only with its order, whose route can be measured again."""

    code = "quote_not_firm"
    title = "The price of this quote is an estimate."
    remedy = "Send the `order`, or request a new quote."


class AlreadyAccepted(Conflict):
    """An order can have only one accepted quote, and a quote belongs to one order."""

    code = "quote_already_accepted"
    title = "This order already has an accepted quote."
    remedy = "Read the accepted quote from the order."


class PriceRequired(Conflict):
    """This company dispatches only priced orders."""

    code = "price_required"
    title = "The order has no price."
    remedy = "Accept a quote first."


class PaymentRequired(Conflict):
    """This company dispatches only paid orders."""

    code = "payment_required"
    title = "The order is not paid."
    remedy = "Take the payment first."


class AcceptedQuote(msgspec.Struct, frozen=True):
    """The transaction of an accepted quote. `new` if this request opened it."""

    transaction: Transaction
    new: bool


async def accept_quote(
    db: Db, company: UUID, quote_id: str, terms: AcceptanceTerms
) -> AcceptedQuote:
    """Accept a quote by its identifier, for an order or without one.

    A repeated request returns the same transaction.

    A signed quote contains its price and is stored once it is accepted. All other quotes are stored
    already.
    """
    order = None if terms.order is None else await _lock_order(db, company, terms.order)
    if signing.is_signed_id(quote_id):
        return await _accept_signed_quote(db, company, quote_id, terms, order)
    quote = await QUOTES.get(db, company, quote_id)
    if quote.order_id is None and order is None:
        return await _load_earlier_acceptance(db, quote)
    if quote.order_id is None:
        # Locked, because another request may link it to another order at the same time.
        return await _accept_stored_quote(
            db, order, await QUOTES.lock(db, company, quote_id), terms
        )
    order = order or await _lock_order(db, company, quote.order_id)
    if order.row.uuid != quote.order_uuid and quote.signature is not None:
        raise AlreadyAccepted
    if order.row.uuid != quote.order_uuid:
        raise Invalid(fields=[FieldError("order", "This quote belongs to another order.")])
    # Read again, because it may have changed before the order was locked.
    return await accept_for_order(db, order, await QUOTES.get(db, company, quote_id), terms)


async def accept_for_new_order(
    db: Db, order: OrderAggregate, quote_id: str, terms: AcceptanceTerms
) -> None:
    """Accept a signed quote for an order that is being created."""
    try:
        await _accept_signed_quote(db, order.row.company, quote_id, terms, order)
    except NotFound:
        raise NotFound(fields=[FieldError("service_quote", "There is no such quote.")]) from None


async def _lock_order(db: Db, company: UUID, identifier: str) -> OrderAggregate:
    return await OrderAggregate.load(
        db, await ORDERS.resolve_reference(db, company, "order", identifier, lock=True)
    )


async def _accept_signed_quote(
    db: Db, company: UUID, quote_id: str, terms: AcceptanceTerms, order: OrderAggregate | None
) -> AcceptedQuote:
    """Accept a signed quote, and store it with its order."""
    signature = hashlib.sha256(quote_id.encode()).digest()
    stored_quote = await queries.lock_signed_quote(db, company, signature)
    if stored_quote is not None:
        return await _accept_stored_quote(db, order, stored_quote, terms)
    signed_quote = signing.parse_quote_id(db, company, quote_id)
    if terms.store not in {None, signed_quote.store}:
        raise NotFound
    # A concurrent request for the same quote waits here, and then finds it stored.
    await queries.lock_signature(db, company, signature)
    stored_quote = await queries.lock_signed_quote(db, company, signature)
    if stored_quote is not None:
        return await _accept_stored_quote(db, order, stored_quote, terms)
    quote = await _draft_signed_quote(db, company, signed_quote, signature)
    priced_at = signed_quote.scheduled_at or db.now
    if order is None and not quote.firm:
        raise QuoteNotFirm
    if order is not None:
        await _prepare_acceptance(db, order)
        shipment = checks.check_shipment(db, order, quote)
        await checks.check_customer(db, order, quote)
        quote = await pricing.confirm_estimate(db, quote, shipment)
        priced_at = debts.pricing_time(db, order.row)
    await checks.check_rate(db, quote, priced_at)
    return AcceptedQuote(
        await _open_transaction(db, order, await QUOTES.insert(db, quote), terms), new=True
    )


async def _accept_stored_quote(
    db: Db, order: OrderAggregate | None, quote: ServiceQuote, terms: AcceptanceTerms
) -> AcceptedQuote:
    """Accept a stored quote again for its order, or link it to its first order."""
    if quote.state == "replaced":
        # Its transaction was voided, and the quote may have expired since.
        raise QuoteReplaced
    if order is None or quote.order_uuid == order.row.uuid:
        return await _load_earlier_acceptance(db, quote)
    if quote.order_uuid is not None or terms.store is not None:
        raise AlreadyAccepted
    await _prepare_acceptance(db, order)
    checks.check_shipment(db, order, quote)
    await checks.check_customer(db, order, quote)
    transaction = await TRANSACTIONS.lock(db, quote.company, quote.transaction or "")
    if not transaction.is_owed:
        raise AlreadyAccepted
    customer = order.related.partner(order.row.customer, order.row.customer_type)
    transaction = await billing.link_order(db, transaction, order.row.uuid, customer)
    await _link_quote(db, order, quote, transaction)
    return AcceptedQuote(transaction, new=False)


async def accept_for_order(
    db: Db, order: OrderAggregate, quote: ServiceQuote, terms: AcceptanceTerms
) -> AcceptedQuote:
    """Accept a quote for a locked order."""
    quote = await queries.find_firm_quote(db, quote, order.row.uuid) or quote
    if quote.state == "accepted":
        return await _load_earlier_acceptance(db, quote)
    await _prepare_acceptance(db, order)
    if quote.state == "replaced":
        raise QuoteReplaced
    if quote.expired_at <= db.now:
        raise QuoteExpired
    if quote.shipment != debts.compute_order_fingerprint(db, order):
        raise QuoteReplaced
    await checks.check_customer(db, order, quote)
    await checks.check_rate(db, quote, debts.pricing_time(db, order.row))
    return AcceptedQuote(await _open_transaction(db, order, quote, terms), new=True)


async def _load_earlier_acceptance(db: Db, quote: ServiceQuote) -> AcceptedQuote:
    """Load the transaction of a quote that was accepted earlier."""
    if quote.transaction is None:
        raise NotFound
    return AcceptedQuote(await TRANSACTIONS.get(db, quote.company, quote.transaction), new=False)


async def _draft_signed_quote(
    db: Db, company: UUID, signed_quote: SignedQuote, signature: bytes
) -> ServiceQuote:
    rate = await rates.get_version(db, company, signed_quote.rate, signed_quote.rate_version)
    return QUOTES.draft(
        db,
        company,
        created_at=signed_quote.created_at,
        order_uuid=None,
        order_id=None,
        **pricing.rate_columns(rate),
        amount=signed_quote.amount,
        tax_rate=signed_quote.tax_rate,
        tax_amount=signed_quote.tax_amount,
        currency=signed_quote.currency,
        items=list(signed_quote.items),
        distance=signed_quote.distance,
        time=signed_quote.time,
        route_source=signed_quote.source,
        firm=signed_quote.firm,
        shipment=signed_quote.shipment,
        customer=signed_quote.customer,
        signature=signature,
        state="open",
        expired_at=signed_quote.expired_at,
    )


async def _prepare_acceptance(db: Db, order: OrderAggregate) -> None:
    """Check that a quote can be accepted for an order, and replace a quote that is no longer owed.

    A quote is no longer owed after its transaction was voided or fully refunded.
    """
    if order.row.price_status == "accepted":
        raise AlreadyAccepted
    accepted_quote = await queries.find_accepted_quote(db, order.row.company, order.row.uuid)
    if accepted_quote is not None:
        await QUOTES.change(db, accepted_quote, state="replaced")
    if not order.row.is_chargeable:
        raise OrderClosed("The order was canceled. No quote can be accepted for it.")


async def _open_transaction(
    db: Db, order: OrderAggregate | None, quote: ServiceQuote, terms: AcceptanceTerms
) -> Transaction:
    """Open the transaction of a quote, and link it to the order if there is one."""
    transaction = await debts.open_transaction(db, quote, terms, order)
    if order is None:
        await QUOTES.change(
            db, quote, state="accepted", accepted_at=db.now, transaction=transaction.public_id
        )
    else:
        await _link_quote(db, order, quote, transaction)
    return transaction


async def _link_quote(
    db: Db, order: OrderAggregate, quote: ServiceQuote, transaction: Transaction
) -> None:
    await aggregate.finish_change(
        db, order, **await debts.link_quote(db, order, quote, transaction)
    )


async def renew_quotes(db: Db, order: OrderAggregate) -> list[ServiceQuote]:
    """Reprice an order, replace its open quotes and list the new ones."""
    await _prepare_acceptance(db, order)
    await queries.mark_open_quotes_replaced(db, order.row.company, order.row.uuid)
    await _reprice(db, order)
    return await queries.list_open_quotes(db, order.row.company, order.row.uuid)


async def _reprice(db: Db, order: OrderAggregate) -> None:
    """Price an order without open quotes, with the current coordinates of its places."""
    # Remeasuring reprices the order as well.
    if order.row.open and await aggregate.remeasure_if_moved(db, order):
        return
    quotes = await pricing.create_quotes(db, order)
    await aggregate.finish_change(db, order, price_status=pricing.to_price_status(quotes))


class QuoteOptions(msgspec.Struct, frozen=True):
    """The quotes that an order could accept. `is_decided` if it has already accepted one."""

    quotes: list[ServiceQuote]
    is_decided: bool = False


async def load_quote_options(db: Db, order: OrderAggregate) -> QuoteOptions:
    """Load the quotes that an order could accept, unless it has accepted one.

    A voided or refunded quote counts as accepted until the order is repriced.
    """
    row = order.row
    if row.price_status == "accepted":
        return QuoteOptions([], is_decided=True)
    if row.transaction is not None and await queries.find_accepted_quote(db, row.company, row.uuid):
        return QuoteOptions([], is_decided=True)
    if row.price_status == "unpriced":
        return QuoteOptions([])
    return QuoteOptions(await queries.list_open_quotes(db, row.company, row.uuid))


async def attach_price(db: Db, order: OrderAggregate, options: QuoteOptions) -> None:
    """Attach a price to an order that is being dispatched, or record that it has none.

    The preferred valid quote is accepted. Without one, the order is repriced once. The setting
    `dispatch_requires` determines whether a price or a payment is mandatory.
    """
    if not options.is_decided:
        await _accept_preferred_quote(db, order, options.quotes)
    await _check_dispatch_requirement(db, order)
    if order.row.price_status == "accepted":
        return
    await aggregate.finish_change(db, order, price_status="unpriced")
    audit.record(db, order.row.company, "dispatched_unpriced", order.row.public_id)


async def _accept_preferred_quote(
    db: Db, order: OrderAggregate, quotes: list[ServiceQuote]
) -> None:
    if await aggregate.is_being_measured(db, order.row):
        # The worker will attach the price by road. A price by great circle would be final.
        return
    preferred_quote = await debts.find_preferred_quote(db, order, quotes)
    if preferred_quote is None:
        if quotes:
            await queries.mark_open_quotes_replaced(db, order.row.company, order.row.uuid)
        elif not await quoting.has_rates(db, order.row.company):
            return
        await _reprice(db, order)
        if order.row.price_status != "priced":
            return
        if await aggregate.is_being_measured(db, order.row):
            return
        new_quotes = await queries.list_open_quotes(db, order.row.company, order.row.uuid)
        preferred_quote = await debts.find_preferred_quote(db, order, new_quotes)
    if preferred_quote is not None:
        await accept_for_order(db, order, preferred_quote, DEFAULT_TERMS)


async def _check_dispatch_requirement(db: Db, order: OrderAggregate) -> None:
    """Reject a dispatch without the price or payment that the company requires."""
    row = order.row
    settings = await company_settings.load(db, row.company, row.store)
    requirement = settings.dispatch_requires
    if requirement == "nothing":
        return
    if row.price_status != "accepted":
        raise PriceRequired
    if requirement == "price":
        return
    order_transactions = await transactions.lock_order_transactions(db, row.company, row.uuid)
    if not standing.is_settled(order_transactions):
        raise PaymentRequired


@followers.follow_transaction.register
async def update_order_debt(db: Db, transaction: Transaction) -> None:
    """Update what an order owes after a change of its transaction.

    After a payment, the worker retries a postponed dispatch.
    """
    try:
        order = await ORDERS.lock(db, transaction.company, transaction.order_uuid or "")
    except NotFound:
        return  # the order was deleted
    order_transactions = await transactions.lock_order_transactions(db, order.company, order.uuid)
    columns = standing.to_payment_columns(order, order_transactions)
    has_changed = any(getattr(order, name) != value for name, value in columns.items())
    is_waiting = order.dispatch_after is not None and standing.is_settled(order_transactions)
    if has_changed or is_waiting:
        await aggregate.finish_change(db, await OrderAggregate.load(db, order), **columns)
