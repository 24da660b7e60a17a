"""The console's router. Every module in screens/ is a screen."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Final

from litestar import Response, Router

from pannier.console import assets, basemap, error_pages, screens, session
from pannier.web.routes import get


@get("/")
async def redirect_home() -> Response[bytes]:
    """Redirect to the home page."""
    return Response(b"", status_code=303, headers={"Location": "/console/home"})


def load_handlers() -> list[Any]:
    """Collect the handlers of all screens."""
    screen_modules = (
        import_module(f"{screens.__name__}.{module.name}")
        for module in iter_modules(screens.__path__)
    )
    return [handler for screen in screen_modules for handler in screen.handlers]


console: Final = Router(
    "/console",
    route_handlers=[redirect_home, *basemap.handlers, *load_handlers()],
    before_request=session.require_operator,
    exception_handlers={Exception: error_pages.handle},
    include_in_schema=False,
    security=[{}],
)
routers: Final = (console, assets.router)
