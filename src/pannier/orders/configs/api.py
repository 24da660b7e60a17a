"""The doors of order configurations."""

from typing import Final

from pannier.accounts import doors
from pannier.orders.configs import service
from pannier.orders.configs.schemas import OrderConfigOut
from pannier.web.resources import Resource

configs: Final = Resource(
    service.table,
    out=OrderConfigOut,
    create=service.create,
    change=service.change,
    page=service.page,
    remove=service.remove,
    problems={"create": [service.ConfigKeyTaken], "delete": [service.ConfigNeeded]},
    says={
        "create": "Save a new order configuration.",
        "read": "Read an order configuration.",
        "list": "List order configurations.",
        "change": "Change an order configuration; a changed flow is a new version.",
        "delete": "Delete an order configuration; orders keep the flow they began with.",
    },
)
routers: Final = (doors.for_keys("Order configurations", "order-configs", configs.handlers()),)
