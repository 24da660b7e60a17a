"""Handlers of third-party protocols, with the token in the path or in a header.

Phones and trackers send one report per request, so these routes have a shortcut past the framework.
"""

from collections.abc import Callable
from typing import Annotated, Any, Final

from msgspec import Meta

from pannier.accounts import doors
from pannier.accounts.auth import Connection
from pannier.devices import auth
from pannier.devices.ingest import receiving
from pannier.devices.ingest.schemas import OsmandIn, TakenOut
from pannier.devices.items import Item, Refused
from pannier.devices.protocols import osmand, traccar
from pannier.devices.streams.refusals import StreamAway
from pannier.devices.writer import Busy
from pannier.web import bodies
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.shortcuts import Served, Shortcuts

PREFIX: Final = "/ingest/"
Token = Annotated[
    str,
    Meta(
        description="The token of a device, of a gateway, or an API key with the scope `devices`.",
        examples=["dvc_live_4Hs2GqTn9XcVb4Kd_…"],
    ),
]
_REFUSALS: Final = [receiving.ReadingRefused, Busy, StreamAway]
_BY_QUERY: Final[dict[str, Any]] = {
    "problems": _REFUSALS,
    "opt": {"query": OsmandIn, "writes": True},
}
_FORM: Final = "application/x-www-form-urlencoded"
_BY_BODY: Final[dict[str, Any]] = {
    "status_code": 200,
    "problems": _REFUSALS,
    "opt": {"request_bodies": {"application/json": osmand.PhoneReport, _FORM: OsmandIn}},
}
_FORWARDED: Final[dict[str, Any]] = {
    "status_code": 200,
    "problems": _REFUSALS,
    "opt": {"request_bodies": {"application/json": traccar.Forwarded}},
}


async def hear_osmand(exchange: Exchange, token: str) -> TakenOut:
    """Store a report of a phone app."""
    return await _hear(exchange, token, _osmand)


async def hear_traccar(exchange: Exchange, token: str) -> TakenOut:
    """Store a message that a Traccar server forwards."""
    return await _hear(exchange, token, lambda it: traccar.of_json(it.body))


async def _hear(
    exchange: Exchange, token: str, decode: Callable[[Exchange], list[Item]]
) -> TakenOut:
    source = await auth.source(exchange, token)
    await bodies.load(exchange)
    try:
        told = decode(exchange)
    except Refused as refused:
        sent = exchange.body or exchange.query
        return TakenOut.of(await receiving.refuse(exchange, source, refused, sent))
    return TakenOut.of(await receiving.take(exchange, source, told))


def _osmand(exchange: Exchange) -> list[Item]:
    """Parse a query, a form or JSON, whichever is present."""
    if exchange.body.lstrip()[:1] == b"{":
        return osmand.of_json(exchange.body)
    return osmand.of_fields(exchange.body.strip() or exchange.query)


@get("/osmand/{token:str}", **_BY_QUERY)
async def report_by_query(exchange: Exchange, token: Token) -> TakenOut:
    """Report a position in the OsmAnd protocol: `id`, `lat`, `lon`, `timestamp`, ….

    Speeds are in knots, as these apps send them. The response is sent once the report is stored. A
    repeated report is stored once.
    """
    return await hear_osmand(exchange, token)


@post("/osmand/{token:str}", **_BY_BODY)
async def report_by_body(exchange: Exchange, token: Token) -> TakenOut:
    """Report a position as a form or as JSON, like Traccar Client and OwnTracks.

    Speeds are in knots in a form, and in metres per second in Traccar Client's JSON.
    """
    return await hear_osmand(exchange, token)


@get("/osmand", **_BY_QUERY)
async def report_by_query_with_header(exchange: Exchange) -> TakenOut:
    """Report a position with a bearer token, or the token as the password of Basic.

    With a gateway's token, `id` names the device.
    """
    return await hear_osmand(exchange, "")


@post("/osmand", **_BY_BODY)
async def report_by_body_with_header(exchange: Exchange) -> TakenOut:
    """Report a position with a bearer token, or the token as the password of Basic."""
    return await hear_osmand(exchange, "")


@post("/traccar/{token:str}", **_FORWARDED)
async def forward(exchange: Exchange, token: Token) -> TakenOut:
    """Receive a position or event that a Traccar server forwards (`forward.type` = `json`).

    A gateway's token reports for every device of its company, by `uniqueId`.
    """
    return await hear_traccar(exchange, token)


@post("/traccar", **_FORWARDED)
async def forward_with_header(exchange: Exchange) -> TakenOut:
    """Receive a position or event of a Traccar server, with the token in `forward.header`."""
    return await hear_traccar(exchange, "")


async def _by_itself(_: Connection) -> None:
    """Admit every request: the handler checks the credential, which may be in the path."""


SHORTCUTS: Final = Shortcuts(
    PREFIX,
    {
        "osmand": Served(hear_osmand, frozenset({"GET", "POST"})),
        "traccar": Served(hear_traccar, frozenset({"POST"})),
    },
)
TAG: Final = "Device protocols"
by_path = doors.router(PREFIX, _by_itself, TAG, [report_by_query, report_by_body, forward], {})
by_header = doors.router(
    PREFIX,
    auth.device_or_key(),
    TAG,
    [report_by_query_with_header, report_by_body_with_header, forward_with_header],
    {"deviceToken": []},
    {"apiKey": []},
)
routers = (by_path, by_header)
