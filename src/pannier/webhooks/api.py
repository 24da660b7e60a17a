"""Handlers for webhooks. The API for keys differs from the operators' only in paging of lists."""

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec
from litestar import Response

from pannier.accounts import api_routers, auth
from pannier.accounts.auth import FleetKey
from pannier.accounts.modes import TestCompanyRequired
from pannier.db import Db
from pannier.errors import CursorInvalid, NotFound
from pannier.web.deletions import RecordDeleted
from pannier.web.exchange import Exchange
from pannier.web.lists import Listed, to_array_response, to_envelope
from pannier.web.routes import change, delete, get, post
from pannier.web.streams import StreamedResponse, TooManyStreams
from pannier.web.versions import IfMatch, PreconditionFailed
from pannier.webhooks import live_stream, pings, queries, replays, service
from pannier.webhooks.entries import (
    DeliveryDetailOut,
    DeliveryFilters,
    DeliveryOut,
    LogFilters,
    PerformanceOut,
    PingOut,
    ReplayIn,
    ReplayOut,
)
from pannier.webhooks.live_stream import SignedStreamFilters
from pannier.webhooks.models import Webhook
from pannier.webhooks.schemas import (
    NewWebhookOut,
    RotateIn,
    WebhookChange,
    WebhookFilters,
    WebhookIn,
    WebhookOut,
)
from pannier.webhooks.switch import WEBHOOKS
from pannier.webhooks.webhook_client import WebhookClient

WebhookData = TypeVar("WebhookData", WebhookIn, WebhookChange)


async def check_url(
    exchange: Exchange, webhook_client: WebhookClient, data: WebhookData
) -> WebhookData:
    """Check and normalise the URL. No transaction is open, because name servers may be slow."""
    async with exchange.edge.suspend_transaction(exchange):
        return msgspec.structs.replace(
            data, url=await service.check_reachable(webhook_client, data.url)
        )


async def send_ping(exchange: Exchange, webhook_client: WebhookClient, webhook: Webhook) -> PingOut:
    """Send one ping without an open transaction, even if the request is retried."""
    if exchange.external_response is None:
        async with exchange.edge.suspend_transaction(exchange):
            exchange.external_response = await pings.ping(
                exchange.edge.database, webhook_client, webhook
            )
    ping_out: PingOut = exchange.external_response.to_out()
    return ping_out


async def create_webhook(
    data: WebhookIn, exchange: Exchange, webhook_client: WebhookClient, db: Db
) -> NewWebhookOut:
    """Register a webhook. Only this response contains its secret."""
    checked_data = await check_url(exchange, webhook_client, data)
    result = await service.register_webhook(db, exchange.caller.company, checked_data)
    return NewWebhookOut.from_row(result.webhook, None, db.now, secret=result.secret)


async def list_webhooks(company: UUID, filters: WebhookFilters, db: Db) -> Listed[WebhookOut]:
    """List the company's webhooks."""
    page = await queries.list_webhooks(db, company, filters)
    return to_envelope(page, (await queries.load_healths(db, company, page.rows)).to_out)


async def list_webhooks_linked(
    company: UUID, filters: WebhookFilters, exchange: Exchange, db: Db
) -> Response[list[WebhookOut]]:
    """List the company's webhooks."""
    page = await queries.list_webhooks(db, company, filters)
    return to_array_response(
        exchange, page, (await queries.load_healths(db, company, page.rows)).to_out
    )


async def get_webhook(company: UUID, webhook_id: str, db: Db) -> WebhookOut:
    """Retrieve a webhook, without its secrets and header values."""
    webhook = await WEBHOOKS.get(db, company, webhook_id)
    return await queries.load_webhook_out(db, company, webhook)


async def change_webhook(
    company: UUID,
    webhook_id: str,
    data: WebhookChange,
    match: IfMatch,
    exchange: Exchange,
    webhook_client: WebhookClient,
    db: Db,
) -> WebhookOut:
    """Update a webhook. Omitted fields stay unchanged, and null clears a field.

    Events for a paused or disabled webhook are held until it is enabled again.
    """
    checked_data = await check_url(exchange, webhook_client, data)
    webhook = await WEBHOOKS.lock(db, company, webhook_id)
    match(webhook.version)
    updated_webhook = await service.change_webhook(db, webhook, checked_data)
    return await queries.load_webhook_out(db, company, updated_webhook)


async def delete_webhook(company: UUID, webhook_id: str, match: IfMatch, db: Db) -> RecordDeleted:
    """Delete a webhook. Its queued deliveries are canceled and stay in the log."""
    webhook = await WEBHOOKS.lock(db, company, webhook_id)
    match(webhook.version)
    await service.delete_webhook(db, webhook)
    return RecordDeleted.from_id(db, "webhook", webhook.public_id)


async def rotate_webhook_secret(
    company: UUID, webhook_id: str, data: RotateIn, db: Db
) -> NewWebhookOut:
    """Create a new secret. Only this response contains it.

    Older secrets stay valid for the grace period.
    """
    webhook = await WEBHOOKS.lock(db, company, webhook_id)
    result = await service.rotate_secret(db, webhook, data)
    healths = await queries.load_healths(db, company, [result.webhook])
    return healths.to_new_out(result.webhook, result.secret)


async def ping_webhook(
    company: UUID, webhook_id: str, exchange: Exchange, webhook_client: WebhookClient, db: Db
) -> PingOut:
    """Send a test ping, whatever the webhook's state, and return the result.

    If the receiver responds with 401, a second ping uses the other signature format.
    """
    webhook = await WEBHOOKS.get(db, company, webhook_id)
    return await send_ping(exchange, webhook_client, webhook)


async def get_webhook_performance(company: UUID, webhook_id: str, db: Db) -> PerformanceOut:
    """Retrieve the success rate and response times for the last 24 hours."""
    webhook = await WEBHOOKS.get(db, company, webhook_id)
    return await queries.load_performance(db, company, webhook)


async def list_webhook_deliveries(
    company: UUID, webhook_id: str, filters: DeliveryFilters, db: Db
) -> Listed[DeliveryOut]:
    """List the deliveries to a webhook, newest first."""
    webhook = await WEBHOOKS.get(db, company, webhook_id)
    page = await queries.list_webhook_deliveries(db, company, webhook, filters)
    return to_envelope(page, DeliveryOut.from_row)


async def list_webhook_deliveries_linked(
    company: UUID, webhook_id: str, filters: DeliveryFilters, exchange: Exchange, db: Db
) -> Response[list[DeliveryOut]]:
    """List the deliveries to a webhook, newest first."""
    webhook = await WEBHOOKS.get(db, company, webhook_id)
    page = await queries.list_webhook_deliveries(db, company, webhook, filters)
    return to_array_response(exchange, page, DeliveryOut.from_row)


async def list_deliveries(company: UUID, filters: LogFilters, db: Db) -> Listed[DeliveryOut]:
    """List the deliveries to all webhooks, newest first."""
    return to_envelope(await queries.list_deliveries(db, company, filters), DeliveryOut.from_row)


async def list_deliveries_linked(
    company: UUID, filters: LogFilters, exchange: Exchange, db: Db
) -> Response[list[DeliveryOut]]:
    """List the deliveries to all webhooks, newest first."""
    return to_array_response(
        exchange, await queries.list_deliveries(db, company, filters), DeliveryOut.from_row
    )


async def get_delivery(
    company: UUID, delivery_id: str, exchange: Exchange, db: Db
) -> DeliveryDetailOut:
    """Retrieve a delivery with its body and all attempts."""
    delivery = await queries.get_delivery(db, company, delivery_id)
    return await queries.load_delivery_detail(
        db, company, delivery, with_body=auth.can_read(exchange, "events")
    )


async def replay_delivery(company: UUID, delivery_id: str, db: Db) -> DeliveryOut:
    """Replay a delivery with the same ID and body, and restart its retry schedule."""
    webhook, delivery = await queries.lock_queue_and_load_delivery(db, company, delivery_id)
    return DeliveryOut.from_row(await replays.replay_delivery(db, webhook, delivery))


async def replay_deliveries(data: ReplayIn, exchange: Exchange, db: Db) -> ReplayOut:
    """Replay deliveries, oldest first, or count them.

    It skips pings, deliveries that are queued or in flight, and deliveries to webhooks that are not
    enabled.
    """
    return await replays.replay_deliveries(db, exchange.caller.company, data)


async def stream_signed_webhooks(
    key: FleetKey, filters: SignedStreamFilters, exchange: Exchange, db: Db
) -> StreamedResponse:
    """Stream events as signed webhooks, as server-sent events. Only for test companies.

    The data of each message is what an endpoint would receive: `headers` and the exact text of the
    `body`. The id is a cursor: a client that reconnects with the last one in `Last-Event-ID` misses
    nothing and receives nothing twice. `beat` is a keep-alive message with the signing `secret`,
    which stays the same for a key. A stream ends within seconds of its key (`ended`), and after
    some minutes; clients reconnect. `pannier listen --forward-to` is such a client.

    The key needs the scopes `webhooks:read` and `events:read`.
    """
    return await live_stream.open_stream(exchange, db, key, filters)


Handler = Callable[..., Awaitable[Any]]
_ALL, _ONE = "/webhooks", "/webhooks/{webhook_id:str}"
_LOG, _ENTRY = "/webhook-deliveries", "/webhook-deliveries/{delivery_id:str}"
# Minimum roles of operators. A key's scopes depend on the HTTP method.
_VIEWER: Final = auth.require_operator("viewer")
_DISPATCHER: Final = auth.require_operator("dispatcher")
_ADMIN: Final = auth.require_operator("admin")
_REPLAY_ERRORS: Final = [
    replays.DeliveryInFlight,
    replays.WebhookDeleted,
    replays.WebhookNotEnabled,
    replays.PingNotReplayable,
]


_routes: Final[list[tuple[Any, str, Handler, auth.RequestGuard, dict[str, Any]]]] = [
    (post, _ALL, create_webhook, _ADMIN, {"problems": [service.WebhookLimit]}),
    (get, _ONE, get_webhook, _VIEWER, {}),
    (change, _ONE, change_webhook, _ADMIN, {"problems": [PreconditionFailed]}),
    (
        delete,
        _ONE,
        delete_webhook,
        _ADMIN,
        {"status_code": 200, "problems": [PreconditionFailed]},
    ),
    (post, f"{_ONE}/rotate-secret", rotate_webhook_secret, _ADMIN, {"status_code": 200}),
    (post, f"{_ONE}/ping", ping_webhook, _DISPATCHER, {"status_code": 200}),
    (get, f"{_ONE}/performance", get_webhook_performance, _VIEWER, {}),
    (get, _ENTRY, get_delivery, _VIEWER, {}),
    (
        post,
        f"{_ENTRY}/replay",
        replay_delivery,
        _DISPATCHER,
        {"status_code": 202, "problems": _REPLAY_ERRORS},
    ),
    (
        post,
        f"{_LOG}/replay",
        replay_deliveries,
        _DISPATCHER,
        {"status_code": 200, "problems": [NotFound]},
    ),
]
operator_router = api_routers.operator_router(
    "Webhooks",
    "viewer",
    [
        *(
            method(path, before_request=guard, **options)(handler)
            for method, path, handler, guard, options in _routes
        ),
        get(_ALL)(list_webhooks),
        get(f"{_ONE}/deliveries")(list_webhook_deliveries),
        get(_LOG, problems=[NotFound])(list_deliveries),
    ],
)
api_router = api_routers.api_router(
    "Webhooks",
    "webhooks",
    [
        *(method(path, **options)(handler) for method, path, handler, _, options in _routes),
        get(_ALL)(list_webhooks_linked),
        get(f"{_ONE}/deliveries")(list_webhook_deliveries_linked),
        get(_LOG, problems=[NotFound])(list_deliveries_linked),
    ],
)
# Events can be read here, as in a delivery's body.
stream_router = api_routers.api_router(
    "Webhooks",
    "webhooks",
    [
        get(
            "/webhooks/stream",
            opt={"responses": {200: {"text/event-stream": {}}}},
            problems=[CursorInvalid, TooManyStreams, TestCompanyRequired],
        )(stream_signed_webhooks)
    ],
    also_reads=["events"],
)
routers = (stream_router, api_router, operator_router)
