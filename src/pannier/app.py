"""The application: all routers behind the edge."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from litestar import Litestar, Request, Response, Router

from pannier import status
from pannier.accounts import api as accounts_api
from pannier.accounts import doors
from pannier.accounts.known_keys import MAX_KEYS
from pannier.console import pages as console
from pannier.customers import api as customers_api
from pannier.customers import desk as customers_desk
from pannier.customers.providers.registry import Providers
from pannier.db import Database
from pannier.devices.auth import Sources
from pannier.devices.events import api as device_events_api
from pannier.devices.ingest import doors as ingest
from pannier.devices.registry import api as devices_api
from pannier.devices.streams.takers import taking
from pannier.devices.tracks import api as tracks_api
from pannier.devices.trips import api as trips_api
from pannier.driver import page as driver
from pannier.events import api as events_api
from pannier.events.json_schema import Told
from pannier.files import api as files_api
from pannier.files.storage import storage_of
from pannier.fleet import api as fleet_api
from pannier.fleet import events as fleet_events
from pannier.kit.cache import Cache
from pannier.kit.passwords import Passwords
from pannier.news import api as news_api
from pannier.notifications import api as notifications_api
from pannier.orders import api as orders_api
from pannier.orders import driver_view
from pannier.orders import events as orders_events
from pannier.parked import api as parked_api
from pannier.partners import api as partners_api
from pannier.payloads import events as payloads_events
from pannier.payments import api as payments_api
from pannier.payments.configuration import gateway_of
from pannier.places import api as places_api
from pannier.privacy import api as privacy_api
from pannier.proofs import events as proofs_events
from pannier.rates import api as rates_api
from pannier.routing.configuration import geocoder_of, router_of
from pannier.settings import Settings
from pannier.tracking import pages as tracking
from pannier.verification import api as verification_api
from pannier.waiting import COUNTS
from pannier.web import docs, health, problems
from pannier.web.edge import Edge
from pannier.web.idempotency import Replay
from pannier.web.limits import Limiter
from pannier.web.metrics import Exposition
from pannier.web.routes import Routing
from pannier.web.streams import Streams
from pannier.webhooks import api as webhooks_api
from pannier.webhooks.carrier import Carrier

# By event: the type of its data, from the domain that emits it.
TOLD: Final[Told] = {
    **orders_events.SCHEMAS,
    **fleet_events.SCHEMAS,
    **payloads_events.SCHEMAS,
    **proofs_events.SCHEMAS,
}
event_routes = doors.for_operators("Events", "viewer", events_api.handlers(TOLD))
parked_routes = doors.for_operators("Parked work", "admin", parked_api.handlers)
ROUTERS: Final[Sequence[Router]] = (
    health.routes,
    health.metrics_routes,
    status.router,
    docs.router,
    event_routes,
    parked_routes,
    *accounts_api.routers,
    *files_api.routers,
    *notifications_api.routers,
    *verification_api.routers,
    *partners_api.routers,
    *places_api.routers,
    *customers_api.routers,
    *customers_desk.routers,
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
    *news_api.routers,
    *privacy_api.routers,
    *console.routers,
    *driver.routers,
    *tracking.routers,
)
CAPTURES: Final = re.compile(r"^/v1/orders/[^/]+/capture-(signature|photo|qr|sms)(/[^/]+)?$")
# Requests besides captures that a driver's app sends late after it was offline.
SENT_LATE: Final = re.compile(
    r"^/v1/(orders/[^/]+/(start|update-activity|complete|fail-attempt)"
    r"|drivers/[^/]+/toggle-online|issues)$"
)
INTAKES: Final = (
    re.compile(r"^/int/v1/fleet-module/(devices/[^/]+/events|device-events/batch)/?$"),
)
ISSUE_PHOTOS: Final = re.compile(r"^/v1/issues/(with-photos|[^/]+/photos)$")
UPLOADS: Final = (re.compile(r"^/v1/files$"), CAPTURES, ISSUE_PHOTOS)


def replay(_: Request[Any, Any, Any], __: Replay) -> Response[bytes]:
    """Answer a repeated keyed request. The edge replaces this with the first request's answer."""
    return Response(b"")


@lru_cache(maxsize=1)
def litestar() -> Litestar:
    """Build the routing. It holds no state, so one instance serves all edges of a process."""
    return Routing(ROUTERS, exception_handlers={Replay: replay, Exception: problems.handle})


def create(settings: Settings, database: Database, limiter: Limiter, hasher: Passwords) -> Edge:
    """Create the application for an open database."""
    return Edge(
        litestar(),
        database=database,
        settings=settings,
        limiter=limiter,
        services={
            "hasher": hasher,
            "keys": Cache(MAX_KEYS),
            "sources": Sources(database),
            "streams": Streams(),
            "storage": storage_of(settings),
            "gateway": gateway_of(settings, database.clock),
            "providers": Providers(settings),
            "carrier": Carrier(settings),
            "router": router_of(settings, database.clock),
            "geocoder": geocoder_of(settings, database.clock),
            "devices": taking(database, settings),
            "metrics": Exposition(COUNTS, settings.metrics_cache_seconds),
        },
        uploads=UPLOADS,
        long_kept=(CAPTURES, ISSUE_PHOTOS, SENT_LATE),
        shortcuts=ingest.SHORTCUTS,
        intakes=INTAKES,
        present_replay=driver_view.present_replay,
    )
