"""The application: all routers behind the edge."""

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, Final

from litestar import Litestar, Request, Response, Router

from pannier import status
from pannier.accounts import api as accounts_api
from pannier.accounts import api_routers
from pannier.accounts.key_cache import MAX_CACHED_KEYS
from pannier.alerts import api as alerts_api
from pannier.backlogs import COUNT_REFRESHES
from pannier.cash import api as cash_api
from pannier.cash import events as cash_events
from pannier.console import router as console
from pannier.conversations import api as conversations_api
from pannier.customers import api as customers_api
from pannier.customers import operator_api as customer_operators_api
from pannier.customers.providers.registry import ProviderRegistry
from pannier.db import Database
from pannier.devices.auth import CredentialCache
from pannier.devices.brokers.backends import make_ingest_backend
from pannier.devices.events import api as device_events_api
from pannier.devices.ingest import api as ingest
from pannier.devices.registry import api as devices_api
from pannier.devices.tracks import api as tracks_api
from pannier.devices.trips import api as trips_api
from pannier.driver import page as driver
from pannier.events import api as events_api
from pannier.events.catalog import list_entries
from pannier.events.json_schema import EventDataTypes
from pannier.files import api as files_api
from pannier.files.storage import make_storage
from pannier.fleet import api as fleet_api
from pannier.fleet import events as fleet_events
from pannier.imports import api as imports_api
from pannier.invoices import api as invoices_api
from pannier.invoices import events as invoices_events
from pannier.jobs import silence
from pannier.kit.cache import Cache
from pannier.kit.passwords import Passwords
from pannier.news import api as news_api
from pannier.notifications import api as notifications_api
from pannier.orders import api as orders_api
from pannier.orders import driver_view
from pannier.orders import events as orders_events
from pannier.orders.batches.slots import make_batch_queue
from pannier.parked import api as parked_api
from pannier.partners import api as partners_api
from pannier.payloads import events as payloads_events
from pannier.payments import api as payments_api
from pannier.payments.configuration import make_gateway
from pannier.payments.transactions import events as transactions_events
from pannier.places import api as places_api
from pannier.planning import api as planning_api
from pannier.privacy import api as privacy_api
from pannier.proofs import events as proofs_events
from pannier.rates import api as rates_api
from pannier.reports import api as reports_api
from pannier.robots import api as robots_api
from pannier.routing.configuration import create_geocoder, create_router
from pannier.samples import api as samples_api
from pannier.settings import Settings
from pannier.tracking import pages as tracking
from pannier.verification import api as verification_api
from pannier.web import docs, health, problems
from pannier.web.edge import Edge
from pannier.web.idempotency import Replay
from pannier.web.limits import RateLimiter
from pannier.web.metrics import Exposition
from pannier.web.openapi.webhooks import EVENTS_KEY, WebhookEvent
from pannier.web.routes import RoutingApp
from pannier.web.streams import Streams
from pannier.webhooks import api as webhooks_api
from pannier.webhooks.webhook_client import WebhookClient

# The data type of each event, declared by the domain that emits it.
EVENT_DATA_TYPES: Final[EventDataTypes] = {
    **orders_events.SCHEMAS,
    **fleet_events.SCHEMAS,
    **payloads_events.SCHEMAS,
    **proofs_events.SCHEMAS,
    **transactions_events.SCHEMAS,
    **cash_events.SCHEMAS,
    **invoices_events.SCHEMAS,
}
event_routes = api_routers.operator_router(
    "Events", "viewer", events_api.make_handlers(EVENT_DATA_TYPES)
)
event_feed_routes = api_routers.api_router("Events", "events", events_api.feed_handlers)
parked_routes = api_routers.operator_router("Parked jobs", "admin", parked_api.handlers)
ROUTERS: Final[Sequence[Router]] = (
    health.routes,
    health.metrics_routes,
    status.router,
    docs.router,
    event_routes,
    event_feed_routes,
    parked_routes,
    *accounts_api.routers,
    *files_api.routers,
    *notifications_api.routers,
    *alerts_api.routers,
    *verification_api.routers,
    *partners_api.routers,
    *places_api.routers,
    *customers_api.routers,
    *customer_operators_api.routers,
    *fleet_api.routers,
    *payments_api.routers,
    *rates_api.routers,
    *webhooks_api.routers,
    *devices_api.routers,
    *device_events_api.routers,
    *trips_api.routers,
    *ingest.routers,
    *tracks_api.routers,
    *orders_api.routers,
    *cash_api.routers,
    *conversations_api.routers,
    *imports_api.routers,
    *invoices_api.routers,
    *planning_api.routers,
    *news_api.routers,
    *reports_api.routers,
    *robots_api.routers,
    *samples_api.routers,
    *privacy_api.routers,
    *console.routers,
    *driver.routers,
    *tracking.routers,
)
CAPTURE_PATHS: Final = re.compile(r"^/v1/orders/[^/]+/capture-(signature|photo|qr|sms)(/[^/]+)?$")
# Further requests that the driver app may send long after the action, when it was offline.
OFFLINE_ACTION_PATHS: Final = re.compile(
    r"^/v1/(orders/[^/]+/(start|update-activity|complete|fail-attempt|collect-cash)"
    r"|drivers/[^/]+/(toggle-online|sos)|issues|driver-messages)$"
)
INGEST_PATHS: Final = (
    re.compile(r"^/int/v1/fleet-module/(devices/[^/]+/events|device-events/batch)/?$"),
)
LABEL_PATH: Final = re.compile(r"^/v1/labels/?$")
PHOTO_PATHS: Final = re.compile(
    r"^/v1/(issues/(with-photos|[^/]+/photos)|driver-messages/with-photos)$"
)
UPLOAD_PATHS: Final = (
    re.compile(r"^(/v1/files|/v1/imports|/console/import|/console/settings/branding)$"),
    re.compile(r"^/console/(drivers|orders)/[^/]+/messages$"),
    CAPTURE_PATHS,
    PHOTO_PATHS,
)


def handle_replay(_: Request[Any, Any, Any], __: Replay) -> Response[bytes]:
    """Answer a repeated keyed request. The edge replaces this with the first request's answer."""
    return Response(b"")


@lru_cache(maxsize=1)
def build_litestar() -> Litestar:
    """Build the routing. It holds no state, so one instance serves all edges of a process."""
    return RoutingApp(
        ROUTERS,
        exception_handlers={Replay: handle_replay, Exception: problems.handle_exception},
        opt={
            EVENTS_KEY: [
                WebhookEvent(entry.name, entry.meaning, EVENT_DATA_TYPES[entry.name])
                for entry in list_entries(EVENT_DATA_TYPES)
                if entry.name in EVENT_DATA_TYPES
            ]
        },
    )


def create_app(
    settings: Settings, database: Database, limiter: RateLimiter, hasher: Passwords
) -> Edge:
    """Create the application for an open database."""
    return Edge(
        build_litestar(),
        database=database,
        settings=settings,
        limiter=limiter,
        services={
            "hasher": hasher,
            "keys": Cache(MAX_CACHED_KEYS),
            "sources": CredentialCache(database),
            "streams": Streams(),
            "batches": make_batch_queue(),
            "storage": make_storage(settings),
            "gateway": make_gateway(
                settings, database.clock, before_request=partial(silence.refuse, database)
            ),
            "providers": ProviderRegistry(settings),
            "webhook_client": WebhookClient(settings),
            "router": create_router(settings, database.clock),
            "geocoder": create_geocoder(settings, database.clock),
            "devices": make_ingest_backend(database, settings),
            "metrics": Exposition(COUNT_REFRESHES, settings.metrics_cache_seconds),
        },
        uploads=UPLOAD_PATHS,
        long_retention_paths=(CAPTURE_PATHS, PHOTO_PATHS, OFFLINE_ACTION_PATHS),
        reading_paths=(LABEL_PATH,),
        shortcuts=ingest.SHORTCUTS,
        intakes=INGEST_PATHS,
        redact_replay=driver_view.redact_replay,
    )
