"""Health of this process: `/healthz`, `/readyz` and `/metrics`."""

from functools import lru_cache
from typing import Annotated, Any, Final

import asyncpg
import msgspec
from litestar import Request, Response, Router
from litestar.response import Response as Raw
from msgspec import Meta

from pannier.db import Database, Db, migrate, versions
from pannier.db.connection_pool import DRIVER_ERRORS
from pannier.db.database import TRANSIENT_ERRORS
from pannier.db.server_status import ServerStatus
from pannier.web import metrics
from pannier.web.exchange import Exchange, current
from pannier.web.metrics import Exposition
from pannier.web.routes import get

# Load balancers probe every few seconds and time out quickly.
PING_TIMEOUT_SECONDS: Final = 3.0
NOT_MIGRATED: Final = "The database is not up to date; run `pannier migrate`."
METRICS_SCHEMA: Final = {"type": "string", "examples": ["pannier_http_requests_total 42.0"]}


class HealthOut(msgspec.Struct):
    """The process responds."""

    status: Annotated[str, Meta(examples=["ok"])] = "ok"


class ReadyOut(msgspec.Struct):
    """Whether this process can serve requests; a failed check says why not."""

    status: Annotated[str, Meta(examples=["ready"])]
    checks: Annotated[dict[str, str], Meta(examples=[{"database": "ok", "migrations": "ok"}])]


@get("/healthz")
async def healthz() -> HealthOut:
    """Check that the process is running."""
    return HealthOut()


@get("/readyz", opt={"responses": {503: {"application/json": ReadyOut}}})
async def readyz(db: Db) -> Response[ReadyOut]:
    """Check that this process can serve requests.

    Its database responds and its schema is current.
    """
    checks = await _run_checks(db.database)
    is_ready = all(result == "ok" for result in checks.values())
    report = ReadyOut("ready" if is_ready else "not ready", checks)
    return Response(report, status_code=200 if is_ready else 503)


async def _run_checks(database: Database) -> dict[str, str]:
    try:
        status = await database.ping(PING_TIMEOUT_SECONDS)
    except (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError):
        return {"database": "ok", "migrations": NOT_MIGRATED}
    except (*TRANSIENT_ERRORS, *DRIVER_ERRORS, asyncpg.PostgresError, OSError):
        return {"database": "The database does not respond."}
    return {
        "database": "The database is read-only." if status.read_only else "ok",
        "migrations": _describe_migrations(status),
    }


def _describe_migrations(status: ServerStatus) -> str:
    """Describe the schema. A newer release may have changed it, in a way that this one allows."""
    if status.is_program_outdated:
        return versions.describe_outdated(status.required_version)
    return "ok" if status.migration >= latest_migration() else NOT_MIGRATED


@lru_cache(maxsize=1)
def latest_migration() -> int:
    """Return the number of the last migration that this release needs."""
    return max(step.number for step in migrate.list_migrations())


async def _check_metrics_token(_: Request[Any, Any, Any]) -> None:
    exchange = current.get()
    metrics.check_token(
        exchange.headers.get(b"authorization", b""),
        exchange.edge.database.keys,
        exchange.edge.settings.metrics_token_version,
    )


@get(
    "/metrics",
    opt={"responses": {200: {"text/plain": METRICS_SCHEMA}}},
    before_request=_check_metrics_token,
    security=[{"metricsToken": []}],
)
async def show_metrics(exchange: Exchange) -> Raw[bytes]:
    """Return metrics for Prometheus, at most a few seconds old."""
    exposition: Exposition = exchange.edge.services["metrics"]
    return Raw(await exposition.read(exchange.edge.database), media_type=metrics.MEDIA_TYPE)


routes: Final = Router("/", route_handlers=[healthz, readyz], tags=["Operations"], security=[{}])
metrics_routes: Final = Router("/", route_handlers=[show_metrics], tags=["Operations"])
