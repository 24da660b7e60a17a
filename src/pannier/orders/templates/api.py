"""HTTP handlers for order templates."""

from typing import Final

import msgspec

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet.presence import DriverInactive
from pannier.orders import measurement
from pannier.orders import service as orders
from pannier.orders.duplicates.schemas import DuplicateIn
from pannier.orders.internal_ids import CLAIM_PROBLEMS
from pannier.orders.quotes.debts import AcceptanceTerms
from pannier.orders.schemas import OrderOut
from pannier.orders.templates import service
from pannier.orders.templates.schemas import OrderTemplateOut
from pannier.payments.gateway import Gateway
from pannier.routing.router import Router
from pannier.web.exchange import Exchange
from pannier.web.resources import Resource
from pannier.web.routes import post

templates: Final = Resource(
    service.TEMPLATES,
    out=OrderTemplateOut,
    create=service.create_template,
    change=service.change_template,
    page=service.list_templates,
    remove=service.remove_template,
    problems={"create": [NotFound], "delete": [service.TemplateInUse]},
    summaries={
        "create": "Save an order as a template.",
        "change": "Rename a template, or copy another order to it.",
        "delete": "Delete a template. Its orders stay.",
    },
)


@post(
    "/order-templates/{order_template_id:str}/orders",
    problems=[NotFound, DriverInactive, *CLAIM_PROBLEMS],
)
async def create_order_from_template(
    key: FleetKey,
    order_template_id: str,
    data: DuplicateIn,
    exchange: Exchange,
    db: Db,
    gateway: Gateway,
    router: Router,
) -> OrderOut:
    """Create an order from a template. Without `day`, it has no schedule and no time windows."""
    template = await service.TEMPLATES.get(db, key.company, order_template_id)
    order_in = msgspec.structs.replace(
        await service.make_request(db, template, data.day),
        internal_id=data.internal_id,
        driver=data.driver,
    )
    measured_route = await measurement.measure_new_order(
        exchange, db, router, key.company, order_in
    )
    terms = AcceptanceTerms(gateway=gateway, fetched=False)
    order = await orders.create(db, key.company, order_in, terms, measured_route=measured_route)
    return order.to_order_out()


routes: Final = api_routers.api_router(
    "Order templates", "orders", [*templates.make_handlers(), create_order_from_template]
)
