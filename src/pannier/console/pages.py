"""The console's router. Every module in screens/ is a screen."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

from litestar import Response, Router

from pannier.console import assets, basemap, door, refusals, screens
from pannier.web.routes import get


@get("/")
async def home() -> Response[bytes]:
    """Redirect to the orders."""
    return Response(b"", status_code=303, headers={"Location": "/console/orders"})


def handlers() -> list[Any]:
    """Collect the handlers of all screens."""
    found = (
        import_module(f"{screens.__name__}.{one.name}") for one in iter_modules(screens.__path__)
    )
    return [handler for screen in found for handler in screen.handlers]


console: Final = Router(
    "/console",
    route_handlers=[home, *basemap.handlers, *handlers()],
    before_request=door.operator,
    exception_handlers={Exception: refusals.handle},
    include_in_schema=False,
    security=[{}],
)
routers: Final = (console, assets.router)
