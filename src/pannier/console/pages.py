"""The router of the console: every screen behind its door."""

from typing import Final

from litestar import Response, Router

from pannier.console import assets, basemap, door, refusals
from pannier.console.screens import (
    contacts,
    customers,
    devices,
    drivers,
    fleets,
    issues,
    live,
    live_map,
    order,
    order_configs,
    orders,
    places,
    proofs,
    search,
    service_areas,
    service_rates,
    sign_in,
    transactions,
    vehicles,
    vendors,
    webhook_deliveries,
    webhooks,
    zones,
)
from pannier.web.routes import get

SCREENS: Final = (
    contacts,
    customers,
    devices,
    drivers,
    fleets,
    issues,
    live,
    live_map,
    order,
    order_configs,
    orders,
    places,
    proofs,
    search,
    service_areas,
    service_rates,
    sign_in,
    transactions,
    vehicles,
    vendors,
    webhook_deliveries,
    webhooks,
    zones,
)


@get("/")
async def home() -> Response[bytes]:
    """Begin with the orders."""
    return Response(b"", status_code=303, headers={"Location": "/console/orders"})


console: Final = Router(
    "/console",
    route_handlers=[
        home,
        *basemap.handlers,
        *(handler for screen in SCREENS for handler in screen.handlers),
    ],
    before_request=door.operator,
    exception_handlers={Exception: refusals.handle},
    include_in_schema=False,
    security=[{}],
)
routers: Final = (console, assets.router)
