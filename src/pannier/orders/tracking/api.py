"""HTTP handlers for tracking numbers and statuses."""

import base64
from collections.abc import Callable
from typing import Final

import msgspec
from litestar import Response

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.db import Db
from pannier.errors import NotFound
from pannier.kit import labels
from pannier.kit.labels import LabelFormat
from pannier.orders.tracking import queries, service
from pannier.orders.tracking.queries import STATUSES
from pannier.orders.tracking.schemas import (
    NumberDetailsOut,
    NumberFilters,
    NumberOut,
    ScannedIn,
)
from pannier.payloads.models import TrackingNumber
from pannier.web.exchange import Exchange
from pannier.web.lists import to_array_response
from pannier.web.resources import Resource
from pannier.web.routes import get, post

MEDIA_TYPES = {"svg": "image/svg+xml", "png": "image/png"}


async def load_number_details(db: Db, number: TrackingNumber) -> NumberDetailsOut:
    """Build the output of a tracking number with its history and label pictures."""
    number_out = (await queries.load_number_outs(db, number.company, [number]))[number.uuid]
    history = await queries.list_history(db, number.company, number)
    return NumberDetailsOut(
        **msgspec.structs.asdict(number_out),
        statuses=await queries.load_status_outs(db, number.company, history),
        qr_code=base64.b64encode(labels.render_qr(number.number, "png")).decode(),
        barcode=base64.b64encode(labels.render_barcode(number.number, "png")).decode(),
    )


@get("/tracking-numbers", problems=[NotFound])
async def list_tracking_numbers(
    key: FleetKey, filters: NumberFilters, exchange: Exchange, db: Db
) -> Response[list[NumberOut]]:
    """List tracking numbers. They are issued when an order is created."""
    page = await queries.list_numbers(db, key.company, filters)
    number_outs = await queries.load_number_outs(db, key.company, page.rows)
    return to_array_response(exchange, page, lambda row: number_outs[row.uuid])


@get("/tracking-numbers/{number_id:str}")
async def get_tracking_number(key: FleetKey, number_id: str, db: Db) -> NumberDetailsOut:
    """Retrieve a tracking number by number or id, with its history and label."""
    return await load_number_details(db, await queries.get_number(db, key.company, number_id))


@post("/tracking-numbers/from-qr", status_code=200, problems=[NotFound])
async def scan_tracking_number(key: FleetKey, data: ScannedIn, db: Db) -> NumberDetailsOut:
    """Find the tracking number of a scanned label."""
    return await load_number_details(db, await queries.get_number(db, key.company, data.code))


async def render_qr_svg(key: FleetKey, number_id: str, db: Db) -> Response[bytes]:
    """Render a tracking number's QR code as SVG."""
    return await _render_label(db, key, number_id, labels.render_qr, "svg")


async def render_qr_png(key: FleetKey, number_id: str, db: Db) -> Response[bytes]:
    """Render a tracking number's QR code as PNG."""
    return await _render_label(db, key, number_id, labels.render_qr, "png")


async def render_barcode_svg(key: FleetKey, number_id: str, db: Db) -> Response[bytes]:
    """Render a tracking number's barcode (Code 128) as SVG."""
    return await _render_label(db, key, number_id, labels.render_barcode, "svg")


async def render_barcode_png(key: FleetKey, number_id: str, db: Db) -> Response[bytes]:
    """Render a tracking number's barcode (Code 128) as PNG."""
    return await _render_label(db, key, number_id, labels.render_barcode, "png")


async def _render_label(
    db: Db,
    key: FleetKey,
    number_id: str,
    draw: Callable[[str, LabelFormat], bytes],
    image_format: LabelFormat,
) -> Response[bytes]:
    """Render a QR code or barcode of a tracking number."""
    number = await queries.get_number(db, key.company, number_id)
    return Response(draw(number.number, image_format), media_type=MEDIA_TYPES[image_format])


statuses: Final = Resource(
    STATUSES,
    create=service.create_manual_status,
    change=service.change,
    page=queries.list_statuses,
    show=queries.load_status_outs,
    remove=service.delete,
    problems={
        "create": [NotFound],
        "list": [NotFound],
        "change": [service.StatusKept],
        "delete": [service.StatusKept],
    },
    summaries={
        "create": "Add a tracking status outside the order flow.",
        "list": "List tracking statuses, newest first.",
        "change": "Update a status that was added manually.",
        "delete": "Delete a status that was added manually.",
    },
)
_ONE = "/tracking-numbers/{number_id:str}"
_SVG = {"responses": {200: {MEDIA_TYPES["svg"]: {"type": "string"}}}}
_PNG = {"responses": {200: {MEDIA_TYPES["png"]: {"type": "string", "format": "binary"}}}}
number_routes = api_routers.api_router(
    "Tracking",
    "tracking-numbers",
    [
        list_tracking_numbers,
        get_tracking_number,
        scan_tracking_number,
        get(f"{_ONE}/qr.svg", opt=_SVG)(render_qr_svg),
        get(f"{_ONE}/qr.png", opt=_PNG)(render_qr_png),
        get(f"{_ONE}/barcode.svg", opt=_SVG)(render_barcode_svg),
        get(f"{_ONE}/barcode.png", opt=_PNG)(render_barcode_png),
    ],
)
status_routes = api_routers.api_router("Tracking", "tracking-statuses", statuses.make_handlers())
routers = (number_routes, status_routes)
