"""The router of the console: every screen behind its door."""

from typing import Final

from litestar import Response, Router

from pannier.console import assets, basemap, door, refusals
from pannier.console.screens import (
    audit,
    contacts,
    customers,
    device_events,
    devices,
    drivers,
    events,
    fleets,
    issues,
    keys,
    live,
    live_map,
    me,
    messages,
    new_order,
    news,
    operators,
    order,
    order_configs,
    orders,
    parked,
    places,
    proofs,
    search,
    service_areas,
    service_quotes,
    service_rates,
    settings,
    sign_in,
    storefronts,
    transactions,
    vehicles,
    vendors,
    webhook_deliveries,
    webhooks,
    zones,
)
from pannier.web.routes import get

SCREENS: Final = (
    audit,
    contacts,
    customers,
    device_events,
    devices,
    drivers,
    events,
    fleets,
    issues,
    keys,
    live,
    live_map,
    me,
    messages,
    news,
    new_order,
    operators,
    order,
    order_configs,
    orders,
    parked,
    places,
    proofs,
    search,
    service_areas,
    service_quotes,
    service_rates,
    settings,
    sign_in,
    storefronts,
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
