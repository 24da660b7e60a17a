"""Measurement of orders by road before the transaction of a request.

The routing engine may take seconds, so it is never asked while a transaction is open.
"""

from collections.abc import Sequence
from uuid import UUID

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Database, Db
from pannier.db.actor import Actor
from pannier.db.row import RowReference
from pannier.kit import ids
from pannier.kit.geo import Point
from pannier.orders import aggregate, aliases, order_payload
from pannier.orders.queries import ORDERS
from pannier.orders.quotes.queries import QUOTES
from pannier.orders.schemas import OrderIn
from pannier.orders.views import OrderAggregate
from pannier.rates.quotes import signing
from pannier.routing.route import MeasuredRoute, Route
from pannier.routing.router import Router
from pannier.web.exchange import Exchange


async def measure_new_order(
    exchange: Exchange, db: Db, router: Router, company: UUID, data: OrderIn
) -> MeasuredRoute | None:
    """Measure the route of an order before it is created; None without a routing engine."""
    if not router.has_engine:
        return None
    points = await _load_points(db, company, data)
    pace = (await company_settings.load(db, company)).routing
    async with exchange.edge.suspend_transaction(exchange):
        route = await router.measure(points, pace)
    return None if route is None else MeasuredRoute(points, route)


async def measure_order_of_batch(
    database: Database, router: Router, company: UUID, data: OrderIn, actor: Actor
) -> MeasuredRoute | None:
    """Measure the route of an order before its own transaction; None without a routing engine."""
    if not router.has_engine:
        return None
    async with database.transaction() as db:
        db.actor = actor
        async with db.nested_transaction(dry_run=True):
            points = await _load_points(db, company, data)
        pace = (await company_settings.load(db, company)).routing
    route = await router.measure(points, pace)
    return None if route is None else MeasuredRoute(points, route)


async def _load_points(db: Db, company: UUID, data: OrderIn) -> list[Point | None]:
    """Return the points of a new order. Builds its payload, which the caller rolls back."""
    reference = RowReference(db.new_uuid(), ids.new_public_id("order"))
    records = await order_payload.create_or_attach_payload(
        db, company, aliases.merge_aliases(data), reference, None
    )
    payload_aggregate = next(iter(records.payload_aggregates.values()))
    return [records.places[uuid].location for uuid in payload_aggregate.place_uuids]


async def measure_quoted_order(
    database: Database,
    router: Router,
    company: UUID,
    quote_id: str,
    order_id: str | None,
    actor: Actor,
) -> None:
    """Measure the order of a quote that is about to be accepted, if its distance is an estimate.

    A signed quote has no order of its own.
    """
    if not router.has_engine:
        return
    if order_id is None and not signing.is_signed_id(quote_id):
        async with database.reading() as db:
            order_id = (await QUOTES.get(db, company, quote_id)).order_id
    if order_id is not None:
        await measure_order(database, router, company, order_id, actor)


async def measure_order(
    database: Database, router: Router, company: UUID, order_id: str, actor: Actor
) -> None:
    """Measure an open order whose distance is an estimate, and replace its quotes.

    Nothing changes while the routing engine is unavailable.
    """
    if not router.has_engine:
        return
    async with database.reading() as db:
        row = await ORDERS.find(db, company, order_id)
        if row is None or row.route_firm or not row.open:
            return
        points = aggregate.route_points(await OrderAggregate.load(db, row))
        pace = (await company_settings.load(db, company)).routing
    route = await router.measure(points, pace)
    if route is not None and route.firm:
        async with database.transaction() as db:
            db.actor = actor
            await _save_route(db, company, row.public_id, points, route)


async def _save_route(
    db: Db, company: UUID, order_id: str, points: Sequence[Point | None], route: Route
) -> None:
    order = await OrderAggregate.load(db, await ORDERS.lock(db, company, order_id))
    is_estimate = order.row.open and not order.row.route_firm
    if is_estimate and aggregate.route_points(order) == points:
        await aggregate.save_route(db, order, route)
