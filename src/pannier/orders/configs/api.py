"""The doors of order configurations."""

from litestar import Response

from pannier.accounts import doors
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.orders.configs import service as configs
from pannier.orders.configs.schemas import (
    OrderConfigChange,
    OrderConfigFilters,
    OrderConfigIn,
    OrderConfigOut,
)
from pannier.web.deletions import Deleted
from pannier.web.exchange import Exchange
from pannier.web.lists import linked
from pannier.web.routes import change, delete, get, post
from pannier.web.versions import Match, PreconditionFailed


@post("/order-configs", problems=[configs.ConfigKeyTaken])
async def create_order_config(key: FleetKey, data: OrderConfigIn, db: Db) -> OrderConfigOut:
    """Save a new order configuration."""
    return OrderConfigOut.of(await configs.create(db, key.company, data))


@get("/order-configs")
async def list_order_configs(
    key: FleetKey, filters: OrderConfigFilters, db: Db, exchange: Exchange
) -> Response[list[OrderConfigOut]]:
    """List order configurations."""
    where = configs.table.where(key.company).equal(key=filters.key, status=filters.status)
    found = await configs.table.page(db, where, filters, query=filters.query)
    return linked(exchange, found, OrderConfigOut.of)


@get("/order-configs/{config_id:str}")
async def get_order_config(key: FleetKey, config_id: str, db: Db) -> OrderConfigOut:
    """Read an order configuration."""
    return OrderConfigOut.of(await configs.table.get(db, key.company, config_id))


@change("/order-configs/{config_id:str}", problems=[PreconditionFailed])
async def change_order_config(
    key: FleetKey, config_id: str, data: OrderConfigChange, db: Db, match: Match
) -> OrderConfigOut:
    """Change an order configuration; a changed flow is a new version."""
    config = await configs.table.take(db, key.company, config_id)
    match(config.version)
    return OrderConfigOut.of(await configs.change(db, config, data))


@delete(
    "/order-configs/{config_id:str}",
    status_code=200,
    problems=[configs.ConfigNeeded, PreconditionFailed],
)
async def delete_order_config(key: FleetKey, config_id: str, match: Match, db: Db) -> Deleted:
    """Delete an order configuration; orders keep the flow they began with."""
    config = await configs.table.take(db, key.company, config_id)
    match(config.version)
    await configs.remove(db, config)
    return Deleted.of(db, "order_config", config.public_id)


routes = doors.for_keys(
    "Order configurations",
    "order-configs",
    [
        create_order_config,
        list_order_configs,
        get_order_config,
        change_order_config,
        delete_order_config,
    ],
)
routers = (routes,)
