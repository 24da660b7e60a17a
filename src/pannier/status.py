"""`/status`: the state of the installation, for its operators."""

import platform
from datetime import datetime, timedelta
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pannier.accounts import api_routers, auth
from pannier.backups import records
from pannier.db import Db, heartbeats
from pannier.db.server_status import SERVER_STATUS, ServerStatus
from pannier.db.versions import read_version
from pannier.devices import metrics as devices
from pannier.events import status as events
from pannier.jobs import silence
from pannier.news import metrics as news
from pannier.notifications import status as notifications
from pannier.parked import metrics as parked
from pannier.routing.router import Router
from pannier.settings import Settings
from pannier.web.exchange import current
from pannier.web.metrics import age_seconds
from pannier.web.routes import get
from pannier.webhooks import status as webhooks

MAX_HEARTBEAT_AGE: Final = timedelta(seconds=30)
MAX_RELAY_DELAY: Final = timedelta(seconds=60)
# Longer than the interval at which an endpoint's successes are recorded.
MAX_CLAIM_DELAY: Final = timedelta(seconds=60)
ENGINE_UNAVAILABLE: Final = "The routing engine does not answer. Distances are great circles."


SILENT: Final = "The installation was restored and sends nothing until `pannier resume`."


class WorkerOut(msgspec.Struct):
    """A background worker that was seen within the last day."""

    name: Annotated[str, Meta(examples=["node-1:4711"])]
    started_at: datetime
    beat_at: datetime
    alive: bool


class QueueOut(msgspec.Struct):
    """The length of a queue, counted up to 10,000, and the age of its oldest entry."""

    waiting: Annotated[int, Meta(examples=[3])]
    oldest_seconds: Annotated[float, Meta(examples=[0.4])]


class VersionsOut(msgspec.Struct):
    """The versions of the software."""

    pannier: Annotated[str, Meta(examples=["0.1.0"])]
    python: Annotated[str, Meta(examples=["3.11.7"])]
    postgresql: Annotated[str, Meta(examples=["18.4"])]
    migration: Annotated[int, Meta(description="The latest migration.", examples=[1])]


class InstallationStatusOut(msgspec.Struct):
    """The state of the installation. It is `degraded` if a check reports a problem."""

    status: Annotated[str, Meta(examples=["ok"])]
    checks: Annotated[
        dict[str, str], Meta(examples=[{"worker": "ok", "events": "ok", "webhooks": "ok"}])
    ]
    workers: list[WorkerOut]
    queues: Annotated[
        dict[str, QueueOut], Meta(examples=[{"events": {"waiting": 0, "oldest_seconds": 0.0}}])
    ]
    providers: Annotated[dict[str, str], Meta(examples=[{"sms": "none", "payments": "stripe"}])]
    versions: VersionsOut


class _Queue(msgspec.Struct):
    waiting: int
    since: datetime | None


# The cost of each query depends on what it counts, not on the size of the queue or the log.
QUEUES: Final = {
    "events": events.BACKLOG,
    "webhooks": webhooks.BACKLOG,
    "messages": notifications.BACKLOG,
    "news": news.BACKLOG,
    "device_events": devices.DEFERRED,
    "parked": parked.BACKLOG,
}


@get("/status")
async def show_status(db: Db) -> InstallationStatusOut:
    """Show workers, queues, providers and versions of the installation."""
    workers = await _load_workers(db)
    queues = {name: await db.get(_Queue, query) for name, query in QUEUES.items()}
    checks = {
        "worker": _check_workers(db.now, workers),
        "events": _check_events(db.now, queues["events"].since),
        "webhooks": _check_webhooks(
            db.now, queues["webhooks"].since, await db.fetch_value(webhooks.LATEST_ATTEMPT)
        ),
    }
    edge = current.get().edge
    distance_router: Router = edge.services["router"]
    if distance_router.has_engine:
        checks["routing"] = ENGINE_UNAVAILABLE if distance_router.is_unavailable else "ok"
    server = await db.get(ServerStatus, SERVER_STATUS)
    if await silence.find_start(db) is not None:
        checks["silence"] = SILENT
    if edge.settings.backup_url is not None:
        checks["backup"] = await _check_backups(db, edge.settings)
    if server.read_only:
        checks["database"] = "The database is read-only."
    return InstallationStatusOut(
        status="ok" if all(result == "ok" for result in checks.values()) else "degraded",
        checks=checks,
        workers=workers,
        queues={
            name: QueueOut(queue.waiting, age_seconds(db, queue.since))
            for name, queue in queues.items()
        },
        providers=_describe_providers(edge.settings, distance_router),
        versions=VersionsOut(
            read_version(), platform.python_version(), server.version, server.migration
        ),
    )


async def _check_backups(db: Db, settings: Settings) -> str:
    state = await db.get(records.BackupState, records.SELECT_STATE)
    return records.describe_age(state, db.now, timedelta(hours=settings.backup_hours)) or "ok"


async def _load_workers(db: Db) -> list[WorkerOut]:
    return await db.fetch_all(WorkerOut, heartbeats.WORKERS, within=MAX_HEARTBEAT_AGE)


def _check_workers(now: datetime, workers: list[WorkerOut]) -> str:
    if any(worker.alive for worker in workers):
        return "ok"
    beats = [worker.beat_at for worker in workers if worker.beat_at <= now]
    if not beats:
        return "No worker has sent a heartbeat yet."
    return f"No worker has sent a heartbeat for {(now - max(beats)).total_seconds():.0f} s."


def _check_events(now: datetime, oldest_at: datetime | None) -> str:
    if oldest_at is None:
        return "ok"
    return _check_age(now, oldest_at, MAX_RELAY_DELAY, "An event has been waiting")


def _check_webhooks(now: datetime, due_at: datetime | None, attempted_at: datetime | None) -> str:
    """Check that due deliveries are sent. A delivery may wait for its retry."""
    if due_at is None or due_at > now:
        return "ok"
    latest = due_at if attempted_at is None else max(due_at, attempted_at)
    return _check_age(now, latest, MAX_CLAIM_DELAY, "Deliveries are due, and none has been sent")


def _check_age(now: datetime, since: datetime, max_age: timedelta, sentence: str) -> str:
    seconds = (now - since).total_seconds()
    return "ok" if seconds <= max_age.total_seconds() else f"{sentence} for {seconds:.0f} s."


def _describe_providers(settings: Settings, distance_router: Router) -> dict[str, str]:
    """Describe the configured providers without their addresses, which may hold passwords."""
    addresses = {
        "sms": settings.sms_url,
        "email": settings.email_url,
        "push": settings.push_url,
        "mqtt": settings.mqtt_url,
        "nats": settings.nats_url,
    }
    return {
        **{name: "configured" if url else "none" for name, url in addresses.items()},
        "payments": settings.payments,
        "router": _describe_router(settings, distance_router),
        "geocoder": settings.geocoder,
    }


def _describe_router(settings: Settings, distance_router: Router) -> str:
    if settings.router not in {"auto", "embedded"}:
        return settings.router
    return "embedded" if distance_router.has_engine else "none"


router: Final = api_routers.guarded_router(
    "/", auth.require_operator("viewer"), "Operations", [show_status], {"operator": []}
)
