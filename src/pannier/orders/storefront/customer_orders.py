"""Orders that customers create themselves from a quote, where their store allows it."""

import re
from datetime import timedelta
from typing import Annotated, Any, ClassVar, Final, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.schemas import Currency
from pannier.customers.auth import Shopper
from pannier.customers.queries import CUSTOMERS
from pannier.customers.recognition import find_contact_public_id
from pannier.db import Database, Db
from pannier.errors import FieldError, Forbidden, Invalid, NotFound, parse_field
from pannier.kit.structs import convert_struct
from pannier.orders import measurement, moves, service
from pannier.orders.flow import IllegalMove
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.orders.quotes import queries as quotes
from pannier.orders.quotes.debts import AcceptanceTerms
from pannier.orders.quotes.schemas import QuoteName
from pannier.orders.schemas import OrderIn
from pannier.orders.storefront import queries
from pannier.orders.storefront.schemas import CustomerOrderOut
from pannier.orders.views import OrderAggregate
from pannier.payloads import cash_schemas
from pannier.payloads import schemas as payloads
from pannier.payloads.models import LengthUnit, WeightUnit
from pannier.payloads.schemas import EntityIn, PayloadIn, WaypointIn
from pannier.payments import checkouts, return_urls
from pannier.payments.gateway import Gateway
from pannier.payments.transactions import endings
from pannier.payments.transactions import queries as transactions
from pannier.payments.transactions.queries import TRANSACTIONS
from pannier.payments.transactions.schemas import (
    CheckoutStatus,
    CheckoutUrl,
    ItemOut,
    Reason,
    ReturnUrl,
    TransactionOut,
)
from pannier.places.models import Owner
from pannier.rates.quotes.schemas import MAX_SHOP_ITEMS, MAX_SHOP_STOPS, Amount, LocationField
from pannier.routing.router import Router
from pannier.web import budgets
from pannier.web.budgets import Budget, make_budgets
from pannier.web.compatibility import ACCEPTED
from pannier.web.exchange import Exchange
from pannier.web.fields import Clearable
from pannier.web.times import Moment

# Orders per customer. Ordinary customers stay far below.
ORDER_LIMITS: Final = ((20, timedelta(hours=1)), (60, timedelta(days=1)))
# Checkout pages per order.
CHECKOUT_LIMIT: Final = (10, timedelta(hours=1))
STOP_PLACE: Final = re.compile(r"^(waypoints\[\d+\])\.place")


class OrderingOff(Forbidden):
    """The store's `orders` setting is off."""

    code = "ordering_off"
    title = "This store does not accept orders from customers."
    remedy = "Contact the store to place an order."


class CustomerItemIn(msgspec.Struct, kw_only=True):
    """An item in a customer's order."""

    accepts: ClassVar = ACCEPTED["entity"]
    name: payloads.ItemName
    quantity: payloads.Quantity = 1
    description: Clearable[Annotated[str, Meta(max_length=2000)]] = UNSET
    length: Clearable[payloads.Length] = UNSET
    width: Clearable[payloads.Length] = UNSET
    height: Clearable[payloads.Length] = UNSET
    dimensions_unit: LengthUnit = "cm"
    weight: Clearable[payloads.Weight] = UNSET
    weight_unit: WeightUnit = "kg"
    declared_value: Clearable[cash_schemas.Amount] = UNSET
    currency: Clearable[cash_schemas.Currency] = UNSET


class CustomerOrderIn(msgspec.Struct, kw_only=True):
    """An order from a quote. Its route and items must match the quote."""

    service_quote: Annotated[QuoteName, Meta(description="A quote from this store.")]
    pickup: LocationField | None = None
    dropoff: LocationField | None = None
    waypoints: Annotated[list[LocationField], Meta(max_length=MAX_SHOP_STOPS)] | None = None
    entities: Annotated[list[CustomerItemIn], Meta(max_length=MAX_SHOP_ITEMS)] = []
    cod_amount: cash_schemas.Amount | None = None
    cod_currency: Currency | None = None
    scheduled_at: Moment | None = None
    notes: payloads.Notes | None = None
    return_url: ReturnUrl | None = None


class CancelOwnIn(msgspec.Struct):
    """Why a customer cancels their order."""

    reason: Reason | None = None


class CheckoutAgainIn(msgspec.Struct):
    """The page to which the customer returns after paying."""

    return_url: ReturnUrl | None = None


class PaymentOut(msgspec.Struct, kw_only=True):
    """The amount that a customer owes for an order, and its checkout page."""

    transaction: Annotated[str, Meta(examples=["transaction_6QdXr1MtL8zKpW4c"])]
    amount: Amount
    currency: Currency
    status: Annotated[str, Meta(examples=["unpaid"])]
    amount_paid: Amount
    amount_refunded: Amount
    items: Annotated[
        list[ItemOut],
        Meta(description="The lines of the amount. Empty if the rate is not `public`."),
    ]
    balance: Annotated[
        int, Meta(description="The amount still owed by this transaction.", examples=[1496])
    ]
    cancellation_fee: Annotated[
        int | None,
        Meta(
            description="What canceling the order costs now. Null if the customer can no longer "
            "cancel it.",
            examples=[0],
        ),
    ]
    checkout_url: CheckoutUrl | None
    checkout_status: CheckoutStatus | None

    @classmethod
    def from_transaction(
        cls, transaction: TransactionOut, *, with_lines: bool, cancellation_fee: int | None
    ) -> Self:
        """Build the customer's view of a transaction; `with_lines` not for a private rate."""
        return convert_struct(
            transaction,
            cls,
            transaction=transaction.id,
            cancellation_fee=cancellation_fee,
            items=transaction.items if with_lines else [],
        )


class CustomerPlacedOut(msgspec.Struct, kw_only=True):
    """A new order and its payment."""

    order: CustomerOrderOut
    payment: PaymentOut


async def place_order(
    exchange: Exchange,
    db: Db,
    router: Router,
    gateway: Gateway,
    caller: Shopper,
    data: CustomerOrderIn,
) -> OrderAggregate:
    """Create an order for the calling customer, at the price of the quote."""
    await _check_ordering_allowed(db, caller)
    return_url = await validate_return_url(db, caller, data.return_url)
    order_in = _to_order_in(caller, data)
    order_budgets = make_budgets(f"customer-orders:{caller.customer}", ORDER_LIMITS)
    await budgets.spend(exchange.edge.database, order_budgets)
    terms = AcceptanceTerms(
        gateway=gateway,
        customer=caller.public_id,
        return_url=return_url,
        store=caller.store,
        fetched=False,
    )
    contact = await find_contact_public_id(db, caller.company, caller.public_id)
    try:
        measured_route = await measurement.measure_new_order(
            exchange, db, router, caller.company, order_in
        )
        return await service.create(
            db,
            caller.company,
            order_in,
            terms,
            place_owner=Owner("customer", contact),
            measured_route=measured_route,
        )
    except (Invalid, NotFound) as error:
        if not error.fields:
            raise
        fields = [
            FieldError(_to_customer_path(field.path), field.message) for field in error.fields
        ]
        raise type(error)(fields=fields) from None


def _to_customer_path(path: str) -> str:
    """Return the path of a field in the customer's request."""
    return STOP_PLACE.sub(r"\1", path.removeprefix("payload."))


async def _check_ordering_allowed(db: Db, caller: Shopper) -> None:
    settings = await company_settings.load(db, caller.company, caller.store)
    if not settings.orders:
        raise OrderingOff


async def validate_return_url(db: Db, caller: Shopper, url_text: str | None) -> str | None:
    """Validate the return URL, which must be a page of the store."""
    if url_text is None:
        return None
    settings = await company_settings.load(db, caller.company, caller.store)
    return parse_field(
        "return_url",
        lambda url: return_urls.validate_return_url(url, settings.mode, settings.return_origins),
        url_text,
    )


def _to_order_in(caller: Shopper, data: CustomerOrderIn) -> OrderIn:
    """Convert a customer's order to the general order schema."""
    end_places = {"pickup": data.pickup, "dropoff": data.dropoff}
    route: dict[str, Any] = {name: place for name, place in end_places.items() if place is not None}
    if data.waypoints:
        waypoints = [WaypointIn(place=place) for place in data.waypoints]
        if "pickup" not in route:
            # The first stop of a route without a pickup is the pickup.
            waypoints[0].type = "pickup"
        route["waypoints"] = waypoints
    cash: dict[str, Any] = {"cod_amount": data.cod_amount, "cod_currency": data.cod_currency}
    return OrderIn(
        payload=PayloadIn(
            **route,
            entities=[EntityIn(**msgspec.structs.asdict(item)) for item in data.entities],
            **{name: value for name, value in cash.items() if value is not None},
        ),
        customer=caller.public_id,
        scheduled_at=data.scheduled_at,
        notes=data.notes,
        service_quote=data.service_quote,
    )


async def load_payment(db: Db, caller: Shopper, order_id: str) -> PaymentOut:
    """Load the payment of a customer's order. Raise NotFound if someone else pays."""
    transaction_id = await get_owed_transaction(db, caller, order_id)
    row = await TRANSACTIONS.get(db, caller.company, transaction_id)
    (transaction,) = await transactions.load_transactions_out(db, caller.company, [row])
    order = await ORDERS.get(db, caller.company, order_id)
    fee = None
    if can_cancel(order):
        stage = moves.get_fee_stage(order)
        fee = await endings.compute_cancellation_fee(db, caller.company, order.uuid, stage)
    return PaymentOut.from_transaction(
        transaction,
        # Charges without a quote were made for this customer.
        with_lines=row.quote is None or await quotes.has_public_rate(db, caller.company, row.quote),
        cancellation_fee=fee,
    )


async def get_owed_transaction(db: Db, caller: Shopper, order_id: str) -> str:
    """Return the id of the transaction to pay. Raise NotFound if someone else pays."""
    customer = await CUSTOMERS.get(db, caller.company, caller.customer)
    order = await queries.get_own_order(db, customer, order_id)
    open_transactions = [
        row.public_id
        for row in await transactions.list_order_transactions(db, caller.company, order.uuid)
        if row.is_open and row.customer == customer.contact
    ]
    if open_transactions:
        return open_transactions[0]
    transaction_id = await quotes.find_owed_transaction(db, order)
    if transaction_id is None:
        raise NotFound
    row = await TRANSACTIONS.get(db, caller.company, transaction_id)
    if row.customer != customer.contact:
        raise NotFound
    return row.public_id


def can_cancel(order: Order) -> bool:
    """Return whether a customer may cancel their order: until the driver starts."""
    return order.open and order.started_at is None and order.undelivered is None


async def cancel_order(
    db: Db, caller: Shopper, order_id: str, reason: str | None
) -> OrderAggregate:
    """Cancel a customer's own order. They pay the fee, and get the rest of their payment back."""
    customer = await CUSTOMERS.get(db, caller.company, caller.customer)
    order = await ORDERS.lock(
        db, caller.company, (await queries.get_own_order(db, customer, order_id)).uuid
    )
    if order.customer != customer.contact:
        raise NotFound
    if not can_cancel(order):
        raise IllegalMove(f"A {order.status} order cannot be canceled by its customer.", ())
    return await moves.cancel(db, await OrderAggregate.load(db, order), reason=reason, refunds=True)


async def request_checkout(
    database: Database,
    gateway: Gateway,
    company: UUID,
    transaction_id: str,
    return_url: str | None,
    db: Db,
) -> None:
    """Request a checkout page, with no transaction open."""
    await budgets.spend(database, [Budget(f"checkouts:{transaction_id}", *CHECKOUT_LIMIT)])
    await checkouts.offer_page(
        database, gateway, company, transaction_id, return_url=return_url, actor=db.actor
    )
