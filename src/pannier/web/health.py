"""Is the process up, is the installation ready, and how is it doing."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Final

import asyncpg
import msgspec
from litestar import Request, Response, Router
from litestar.response import Response as Raw
from msgspec import Meta

from pannier.db import Db, heartbeats
from pannier.db.connections import CONFUSED
from pannier.db.pool import TRANSIENT
from pannier.web import metrics
from pannier.web.exchange import Exchange, current
from pannier.web.metrics import Exposition
from pannier.web.routes import get

BEAT_WITHIN: Final = timedelta(seconds=30)
RELAY_WITHIN: Final = timedelta(seconds=60)
# Longer than an endpoint's success may go unnoted.
CLAIM_WITHIN: Final = timedelta(seconds=60)
METRICS_SCHEMA: Final = {"type": "string", "examples": ["pannier_http_requests_total 42.0"]}


class HealthOut(msgspec.Struct):
    """The process answers."""

    status: Annotated[str, Meta(examples=["ok"])] = "ok"


class ReadyOut(msgspec.Struct):
    """What is ready; what is not says why."""

    status: Annotated[str, Meta(examples=["ready"])]
    checks: Annotated[
        dict[str, str],
        Meta(examples=[{"database": "ok", "worker": "ok", "events": "ok", "webhooks": "ok"}]),
    ]


class _Signs(msgspec.Struct):
    beat_at: datetime | None
    oldest_event: datetime | None
    oldest_delivery: datetime | None
    latest_attempt: datetime | None


@get("/healthz")
async def healthz() -> HealthOut:
    """Tell that the process runs."""
    return HealthOut()


@get("/readyz", opt={"responses": {503: {"application/json": ReadyOut}}})
async def readyz(db: Db) -> Response[ReadyOut]:
    """Tell whether database and worker do their work."""
    checks = await _checks(db)
    ready = all(word == "ok" for word in checks.values())
    answer = ReadyOut("ready" if ready else "not ready", checks)
    return Response(answer, status_code=200 if ready else 503)


async def _checks(db: Db) -> dict[str, str]:
    try:
        signs = await db.one(
            _Signs,
            f"""select
                   ({heartbeats.LAST_BEAT}) as beat_at,
                   (select created_at from event_queue join events on uuid = event
                    order by position limit 1) as oldest_event,
                   (select min(due_at) from webhook_lanes join webhooks on uuid = webhook
                    where state = 'enabled' and deleted_at is null) as oldest_delivery,
                   greatest(
                       (select max(started_at) from webhook_claims),
                       (select max(greatest(last_success_at, last_failure_at))
                        from webhook_health)) as latest_attempt""",
        )
    except (*TRANSIENT, *CONFUSED, asyncpg.PostgresError):
        return {"database": "The database does not answer."}
    return {
        "database": "ok",
        "worker": _fresh(db.now, signs.beat_at, BEAT_WITHIN, "No worker has given a sign of life"),
        "events": "ok"
        if signs.oldest_event is None
        else _fresh(db.now, signs.oldest_event, RELAY_WITHIN, "An event has been waiting"),
        "webhooks": _claimed(db.now, signs),
    }


def _claimed(now: datetime, signs: _Signs) -> str:
    """Tell whether deliveries are taken; one that waits for its turn is no complaint."""
    moments = [at for at in (signs.oldest_delivery, signs.latest_attempt) if at is not None]
    if signs.oldest_delivery is None or signs.oldest_delivery > now:
        return "ok"
    return _fresh(now, max(moments), CLAIM_WITHIN, "Deliveries are due, and none has been taken")


def _fresh(now: datetime, moment: datetime | None, within: timedelta, complaint: str) -> str:
    if moment is None:
        return f"{complaint} yet."
    age = now - moment
    return "ok" if age <= within else f"{complaint} for {age.total_seconds():.0f} s."


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
    """Return the metrics for Prometheus, a few seconds old at most."""
    exposition: Exposition = exchange.edge.services["metrics"]
    return Raw(await exposition.read(exchange.edge.database), media_type=metrics.MEDIA_TYPE)


routes: Final = Router("/", route_handlers=[healthz, readyz], tags=["Operations"], security=[{}])
metrics_routes: Final = Router("/", route_handlers=[show_metrics], tags=["Operations"])
