"""Collecting, handing in and remitting cash on delivery."""

from typing import Final
from uuid import UUID

import asyncpg

from pannier.accounts.auth import Caller, FleetKey
from pannier.cash import collecting, events, queries
from pannier.cash.models import CashCollection, CashHandIn, CashRemittance
from pannier.cash.queries import COLLECTIONS, HAND_INS, REMITTANCES, DriverName
from pannier.cash.schemas import CollectCashIn, HandInIn, RemittanceIn
from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid, NotFound, parse_field
from pannier.fleet.auth import DriverCaller
from pannier.fleet.models import Driver
from pannier.fleet.queries import DRIVERS
from pannier.kit import device_times, ids
from pannier.orders.assignment import DriverRequired
from pannier.orders.captures.recipients import is_recipient_erased
from pannier.orders.models import Order
from pannier.orders.queries import lock_with_deleted
from pannier.orders.stop_cash import mark_cash_collected
from pannier.orders.tracking.queries import has_status_of
from pannier.orders.views import OrderAggregate
from pannier.payloads.cash import CashToCollect
from pannier.payloads.fields import parse_currency
from pannier.proofs.models import ProofSubject

ONLY_FOR_KEYS: Final = "Leave this out: you have the cash yourself."
SEND_BOTH: Final = "Send `amount_due` and `currency` together."
# What the column of a clock's error can hold.
MAX_SKEW: Final = 2**31 - 1
UNKNOWN_STOP: Final = "The order has no such stop."


class CollectionConflict(Conflict):
    """A collection's UUID identifies one collection."""

    code = "collection_conflict"
    title = "Another collection has this UUID."
    remedy = "Choose a new `collection_uuid` for each collection."


class NothingToHandIn(Conflict):
    """The driver carries no cash in this currency."""

    code = "nothing_to_hand_in"
    title = "The driver has no cash in this currency."
    remedy = "See `GET /v1/drivers/{id}/cash`."


class CashBalanceChanged(Conflict):
    """The balance of the driver or merchant is not the expected one."""

    code = "cash_balance_changed"
    title = "The cash balance has changed."
    remedy = "Read the balance again, and count the cash again."


class NothingToRemit(Conflict):
    """No cash of the merchant was handed in since the last remittance."""

    code = "nothing_to_remit"
    title = "There is no cash to remit to this customer."
    remedy = "See `GET /v1/cash/balances`."


async def collect_cash(
    db: Db, caller: FleetKey | DriverCaller | Caller, order_id: str, data: CollectCashIn
) -> CashCollection:
    """Record the cash of a stop once. A repeated request returns the stored collection.

    The state of the order does not matter: a report that arrives late is still about real money.
    """
    row = await lock_with_deleted(db, caller.company, order_id)
    replay = await _find_replay(db, caller, row.uuid, data)
    if replay is not None:
        return replay
    await _check_access(db, caller, row)
    order = await OrderAggregate.load(db, row)
    driver = await _find_holder(db, caller, order, data)
    stop, due = _find_due(order, data)
    collecting.check_collection(due, data.amount, data.reason, data.amount_due)
    collection = await _create_collection(db, order, stop, due, driver, data)
    await mark_cash_collected(db, order, stop)
    await events.emit_collected(db, collection, driver.public_id)
    return collection


async def _check_access(db: Db, caller: FleetKey | DriverCaller | Caller, order: Order) -> None:
    """Raise NotFound if a driver reports cash of an order on which they have never worked.

    An order can be assigned to another driver before the report of the first arrives.
    """
    if not isinstance(caller, DriverCaller) or order.driver == caller.uuid:
        return
    driver = await DRIVERS.get(db, caller.company, caller.uuid)
    if not await has_status_of(db, caller.company, order.uuid, driver.public_id):
        raise NotFound


def _find_due(order: OrderAggregate, data: CollectCashIn) -> tuple[UUID | None, CashToCollect]:
    """Return the stop, and its cash due."""
    if (data.amount_due is None) != (data.currency is None):
        path = "currency" if data.currency is None else "amount_due"
        raise Invalid(fields=[FieldError(path, SEND_BOTH)])
    payload, stops = order.payload_aggregate.payload, order.payload_aggregate.waypoints
    cash_by_stop = order.payload_aggregate.cash
    stop = _find_stop(order, data.waypoint)
    if data.currency is not None and (stop is not None or not stops):
        collected = {row.uuid: row.cash_collected for row in stops}
        cash_by_stop = collecting.add_shown_cash(
            cash_by_stop,
            stop,
            parse_field("currency", parse_currency, data.currency),
            collected=payload.cash_collected if stop is None else collected[stop],
        )
    stop = collecting.choose_stop(cash_by_stop, stop, has_stops=bool(stops))
    return stop, cash_by_stop[stop]


async def _create_collection(
    db: Db,
    order: OrderAggregate,
    stop: UUID | None,
    due: CashToCollect,
    driver: Driver,
    data: CollectCashIn,
) -> CashCollection:
    row = order.row
    collected_at = device_times.limit_to_range(
        data.collected_at, earliest=row.created_at, now=db.now
    )
    collection = COLLECTIONS.draft(
        db,
        row.company,
        order_uuid=row.uuid,
        order_id=row.public_id,
        waypoint=stop,
        waypoint_id=order.related.stop_id(stop),
        driver=driver.uuid,
        customer=row.customer,
        customer_type=row.customer_type,
        amount_due=due.amount,
        amount=data.amount,
        currency=due.currency,
        method=data.method or due.method or "cash",
        reason=await _choose_reason(db, order, stop, data.reason),
        collected_at=collected_at.time,
        clock_skew=collected_at.skew and min(collected_at.skew, MAX_SKEW),
        client_uuid=data.collection_uuid,
        **_actor_columns(db),
    )
    try:
        return await COLLECTIONS.insert(db, collection)
    except asyncpg.UniqueViolationError:
        # The order is locked, so only another order's collection can have the same `client_uuid`.
        raise CollectionConflict from None


async def _choose_reason(
    db: Db, order: OrderAggregate, stop: UUID | None, reason: str | None
) -> str | None:
    """Return the reason, unless its recipient was erased: nothing would erase a late one."""
    if reason is None:
        return None
    row = order.row
    subject = ProofSubject(
        type="order" if stop is None else "waypoint",
        uuid=stop or row.uuid,
        public_id=order.related.stop_id(stop) or row.public_id,
        company=row.company,
        order=row.uuid,
        order_id=row.public_id,
    )
    is_erased = await is_recipient_erased(db, row, order.payload_aggregate, subject)
    return None if is_erased else reason


async def _find_replay(
    db: Db, caller: FleetKey | DriverCaller | Caller, order: UUID, data: CollectCashIn
) -> CashCollection | None:
    """Return the collection of an earlier attempt; raise CollectionConflict if it differs."""
    if data.collection_uuid is None:
        return None
    stored = await queries.find_by_client_uuid(db, caller.company, data.collection_uuid)
    if stored is None:
        return None
    is_own = not isinstance(caller, DriverCaller) or stored.driver == caller.uuid
    if not is_own or (stored.order_uuid, stored.amount) != (order, data.amount):
        raise CollectionConflict
    return stored


def _find_stop(order: OrderAggregate, identifier: str | None) -> UUID | None:
    """Find a stop by its identifier, or reject the field."""
    if identifier is None:
        return None
    uuid = ids.parse_uuid(identifier)
    for stop in order.payload_aggregate.waypoints:
        if identifier == stop.public_id or uuid == stop.uuid:
            return stop.uuid
    raise NotFound(fields=[FieldError("waypoint", UNKNOWN_STOP)])


async def _find_holder(
    db: Db, caller: FleetKey | DriverCaller | Caller, order: OrderAggregate, data: CollectCashIn
) -> Driver:
    """Return the driver who has the cash."""
    if isinstance(caller, DriverCaller):
        if data.driver is not None:
            raise Invalid(fields=[FieldError("driver", ONLY_FOR_KEYS)])
        return await DRIVERS.get(db, caller.company, caller.uuid)
    if data.driver is not None:
        return await DRIVERS.resolve_reference(db, caller.company, "driver", data.driver)
    if order.row.driver is None:
        raise DriverRequired
    return order.related.drivers[order.row.driver]


def _actor_columns(db: Db) -> dict[str, str]:
    return {"actor_kind": db.actor.kind, "actor_id": db.actor.id, "actor_name": db.actor.name}


async def hand_in_cash(db: Db, company: UUID, driver: DriverName, data: HandInIn) -> CashHandIn:
    """Close a driver's open collections in one currency, and record what was counted."""
    currency = parse_field("currency", parse_currency, data.currency)
    collected = await queries.lock_carried(db, company, driver.uuid, currency)
    if not collected.uuids:
        raise NothingToHandIn
    if data.expected_amount not in {None, collected.amount}:
        raise CashBalanceChanged
    hand_in = await HAND_INS.create(
        db,
        company,
        driver=driver.uuid,
        currency=currency,
        collections=len(collected.uuids),
        expected_amount=collected.amount,
        counted_amount=data.counted_amount,
        difference=data.counted_amount - collected.amount,
        remarks=data.remarks,
        **_actor_columns(db),
    )
    await _assign_collections(db, company, collected.uuids, "hand_in", hand_in.uuid)
    return hand_in


async def remit_cash(db: Db, company: UUID, data: RemittanceIn) -> CashRemittance:
    """Gather a merchant's cash that was handed in and not remitted yet."""
    currency = parse_field("currency", parse_currency, data.currency)
    merchant = await queries.find_merchant(db, company, data.customer)
    collected = await queries.lock_remittable(db, company, merchant.uuid, currency)
    if not collected.amount:
        raise NothingToRemit
    if data.expected_amount not in {None, collected.amount}:
        raise CashBalanceChanged
    remittance = await REMITTANCES.create(
        db,
        company,
        customer=merchant.uuid,
        customer_type=merchant.type,
        currency=currency,
        collections=len(collected.uuids),
        amount=collected.amount,
        reference=data.reference,
        **_actor_columns(db),
    )
    await _assign_collections(db, company, collected.uuids, "remittance", remittance.uuid)
    return remittance


async def _assign_collections(
    db: Db, company: UUID, collections: list[UUID], column: str, uuid: UUID
) -> None:
    """Assign locked collections to a hand-in or a remittance."""
    await db.execute(
        f"""update cash_collections set {column} = :uuid, updated_at = :now, version = version + 1
            where company = :company and uuid = any(:collections)""",
        uuid=uuid,
        now=db.now,
        company=company,
        collections=collections,
    )
