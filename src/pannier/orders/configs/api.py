"""HTTP handlers for order configurations."""

from typing import Final
from uuid import UUID

from pannier.accounts import api_routers
from pannier.db import Db
from pannier.orders.configs import service
from pannier.orders.configs.schemas import OrderConfigOut, OrderConfigVersionOut
from pannier.web.resources import Resource
from pannier.web.routes import get

configs: Final = Resource(
    service.CONFIGS,
    out=OrderConfigOut,
    create=service.create,
    change=service.change,
    page=service.list_configs,
    remove=service.remove,
    problems={"create": [service.ConfigKeyTaken], "delete": [service.ConfigNeeded]},
    summaries={
        "create": "Create an order configuration.",
        "read": "Retrieve an order configuration.",
        "list": "List order configurations.",
        "change": "Update an order configuration. A changed flow creates a new version.",
        "delete": "Delete an order configuration; orders keep the flow they started with.",
    },
)


@get("/order-configs/{order_config_id:str}/versions/{number:str}")
async def get_order_config_version(
    company: UUID, order_config_id: str, number: str, db: Db
) -> OrderConfigVersionOut:
    """Retrieve one version of an order configuration's flow."""
    config = await service.CONFIGS.get(db, company, order_config_id)
    return OrderConfigVersionOut.from_version(config, await service.get_version(db, config, number))


routers: Final = (
    api_routers.api_router(
        "Order configurations",
        "order-configs",
        [*configs.make_handlers(), get_order_config_version],
    ),
)
