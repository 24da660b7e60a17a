"""The application: every router, wrapped in the edge."""

import re
from collections.abc import Sequence
from typing import Any, Final

from litestar import Litestar, Request, Response, Router
from litestar.di import Provide

from pannier.accounts import api as accounts_api
from pannier.db import Database, Db
from pannier.kit.passwords import Passwords
from pannier.settings import Settings
from pannier.web import problems
from pannier.web.edge import Edge
from pannier.web.exchange import exchange_of
from pannier.web.idempotency import REPLAYED, Replay
from pannier.web.limits import Limiter

ROUTERS: Final[Sequence[Router]] = (*accounts_api.routers,)
UPLOADS: Final = (re.compile(r"^/v1/files$"),)


def provide_db(request: Request[Any, Any, Any]) -> Db:
    """Give a handler its transaction."""
    return exchange_of(request).db


def provide_key(request: Request[Any, Any, Any]) -> Any:  # noqa: ANN401 - FleetKey or StorefrontKey
    """Give a handler the key that the guard let in."""
    return exchange_of(request).caller


def provide_caller(request: Request[Any, Any, Any]) -> Any:  # noqa: ANN401 - the operator
    """Give a handler the operator whom the guard let in."""
    return exchange_of(request).caller


def replay(_: Request[Any, Any, Any], found: Replay) -> Response[bytes]:
    """Answer a keyed request a second time."""
    headers = {name.decode(): value.decode() for name, value in [*found.answer.headers, REPLAYED]}
    media_type = headers.pop("content-type", "application/json")
    return Response(
        found.answer.body, status_code=found.answer.status, headers=headers, media_type=media_type
    )


def litestar(settings: Settings, hasher: Passwords) -> Litestar:
    """Put the routers together."""
    return Litestar(
        route_handlers=list(ROUTERS),
        dependencies={
            "db": Provide(provide_db, sync_to_thread=False),
            "key": Provide(provide_key, sync_to_thread=False),
            "caller": Provide(provide_caller, sync_to_thread=False),
            "hasher": Provide(lambda: hasher, sync_to_thread=False),
            "settings": Provide(lambda: settings, sync_to_thread=False),
        },
        exception_handlers={Replay: replay, Exception: problems.handle},
        openapi_config=None,
        logging_config=None,
    )


def create(settings: Settings, database: Database, limiter: Limiter, hasher: Passwords) -> Edge:
    """Make the whole application around an open database."""
    return Edge(
        litestar(settings, hasher),
        database=database,
        settings=settings,
        limiter=limiter,
        uploads=UPLOADS,
    )
