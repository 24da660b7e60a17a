"""Handlers of third-party protocols, with the token in the path or in a header.

Phones and trackers send one report per request, so these routes have a shortcut past the framework.
"""

from collections.abc import Callable
from typing import Annotated, Any, Final

from msgspec import Meta

from pannier.accounts import api_routers
from pannier.accounts.auth import Connection
from pannier.devices import auth
from pannier.devices.brokers.errors import StreamUnavailable
from pannier.devices.ingest import reception
from pannier.devices.ingest.schemas import IngestOut, OsmandIn
from pannier.devices.items import EventItem, InvalidItem
from pannier.devices.protocols import osmand, traccar
from pannier.devices.writer import Busy
from pannier.web import bodies
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.shortcuts import Shortcuts, ShortcutTarget

PREFIX: Final = "/ingest/"
Token = Annotated[
    str,
    Meta(
        description="The token of a device, of a gateway, or an API key with the scope `devices`.",
        examples=["dvc_live_4Hs2GqTn9XcVb4Kd_…"],
    ),
]
_PROBLEMS: Final = [reception.ReadingRefused, Busy, StreamUnavailable]
_QUERY_OPTIONS: Final[dict[str, Any]] = {
    "problems": _PROBLEMS,
    "opt": {"query": OsmandIn, "writes": True},
}
_FORM: Final = "application/x-www-form-urlencoded"
_BODY_OPTIONS: Final[dict[str, Any]] = {
    "status_code": 200,
    "problems": _PROBLEMS,
    "opt": {"request_bodies": {"application/json": osmand.PhoneReport, _FORM: OsmandIn}},
}
_FORWARD_OPTIONS: Final[dict[str, Any]] = {
    "status_code": 200,
    "problems": _PROBLEMS,
    "opt": {"request_bodies": {"application/json": traccar.ForwardedMessage}},
}


async def receive_osmand(exchange: Exchange, token: str) -> IngestOut:
    """Store a report of a phone app."""
    return await _receive_report(exchange, token, _parse_osmand)


async def receive_traccar(exchange: Exchange, token: str) -> IngestOut:
    """Store a message that a Traccar server forwards."""
    return await _receive_report(exchange, token, lambda request: traccar.parse_json(request.body))


async def _receive_report(
    exchange: Exchange, token: str, decode: Callable[[Exchange], list[EventItem]]
) -> IngestOut:
    source = await auth.authenticate(exchange, token)
    await bodies.load(exchange)
    try:
        readings = decode(exchange)
    except InvalidItem as error:
        raw = exchange.body or exchange.query
        return IngestOut.from_outcome(await reception.record_reject(exchange, source, error, raw))
    return IngestOut.from_outcome(await reception.store_items(exchange, source, readings))


def _parse_osmand(exchange: Exchange) -> list[EventItem]:
    """Parse a query, a form or JSON, whichever is present."""
    if exchange.body.lstrip()[:1] == b"{":
        return osmand.parse_json(exchange.body)
    return osmand.parse_fields(exchange.body.strip() or exchange.query)


@get("/osmand/{token:str}", **_QUERY_OPTIONS)
async def report_by_query(exchange: Exchange, token: Token) -> IngestOut:
    """Report a position in the OsmAnd protocol: `id`, `lat`, `lon`, `timestamp`, ….

    Speeds are in knots, as these apps send them. The response is sent once the report is stored. A
    repeated report is stored once.
    """
    return await receive_osmand(exchange, token)


@post("/osmand/{token:str}", **_BODY_OPTIONS)
async def report_by_body(exchange: Exchange, token: Token) -> IngestOut:
    """Report a position as a form or as JSON, as Traccar Client and OwnTracks do.

    Speeds are in knots in a form, and in metres per second in Traccar Client's JSON.
    """
    return await receive_osmand(exchange, token)


@get("/osmand", **_QUERY_OPTIONS)
async def report_by_query_with_header(exchange: Exchange) -> IngestOut:
    """Report a position with a bearer token, or with the token as the Basic password.

    With a gateway's token, `id` names the device.
    """
    return await receive_osmand(exchange, "")


@post("/osmand", **_BODY_OPTIONS)
async def report_by_body_with_header(exchange: Exchange) -> IngestOut:
    """Report a position with a bearer token, or with the token as the Basic password."""
    return await receive_osmand(exchange, "")


@post("/traccar/{token:str}", **_FORWARD_OPTIONS)
async def forward(exchange: Exchange, token: Token) -> IngestOut:
    """Receive a position or event that a Traccar server forwards (`forward.type` = `json`).

    A gateway's token reports for every device of its company, by `uniqueId`.
    """
    return await receive_traccar(exchange, token)


@post("/traccar", **_FORWARD_OPTIONS)
async def forward_with_header(exchange: Exchange) -> IngestOut:
    """Receive a position or event of a Traccar server, with the token in `forward.header`."""
    return await receive_traccar(exchange, "")


async def _admit_all(_: Connection) -> None:
    """Admit every request: the handler checks the credential, which may be in the path."""


SHORTCUTS: Final = Shortcuts(
    PREFIX,
    {
        "osmand": ShortcutTarget(receive_osmand, frozenset({"GET", "POST"})),
        "traccar": ShortcutTarget(receive_traccar, frozenset({"POST"})),
    },
)
TAG: Final = "Device protocols"
path_router = api_routers.guarded_router(
    PREFIX, _admit_all, TAG, [report_by_query, report_by_body, forward], {}
)
header_router = api_routers.guarded_router(
    PREFIX,
    auth.make_device_or_key_guard(),
    TAG,
    [report_by_query_with_header, report_by_body_with_header, forward_with_header],
    {"deviceToken": []},
    {"apiKey": []},
)
routers = (path_router, header_router)
