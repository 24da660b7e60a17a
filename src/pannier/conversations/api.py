"""HTTP handlers of messages between dispatch and drivers."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.conversations import queries, service, views
from pannier.conversations.schemas import (
    DriverMessageFilters,
    DriverMessageIn,
    DriverMessageOut,
    MessageReadIn,
    PhotoMessageIn,
)
from pannier.db import Db
from pannier.errors import NotFound
from pannier.files.storage import Storage
from pannier.fleet import auth
from pannier.fleet.auth import DriverCaller
from pannier.orders.aggregate import OrderClosed
from pannier.orders.assignment import DriverRequired
from pannier.orders.captures import api as captures
from pannier.orders.captures import forms
from pannier.orders.captures import service as looking
from pannier.orders.issue_photos.api import PHOTO_PROBLEMS
from pannier.settings import Settings
from pannier.web.exchange import Exchange
from pannier.web.lists import to_array_response
from pannier.web.routes import act, get, post


async def send_driver_message(
    caller: FleetKey | DriverCaller, data: DriverMessageIn, db: Db, settings: Settings
) -> DriverMessageOut:
    """Send a message to a driver. Signed-in drivers send it to dispatch."""
    message = await service.send_message(db, caller, data)
    return await views.load_message_out(db, settings, message)


async def send_photos(
    caller: FleetKey | DriverCaller,
    exchange: Exchange,
    db: Db,
    storage: Storage,
    settings: Settings,
) -> DriverMessageOut:
    """Send a message with photos, as JSON or as a form."""
    form = await forms.parse_capture(exchange, PhotoMessageIn)
    # Check access first: pictures of unreachable records are neither processed nor stored.
    await service.check_message(db, caller, form.values)
    evidence = await captures.store_evidence(exchange, storage, caller, form, looking.read_photos)
    message = await service.send_message(db, caller, form.values, evidence)
    return await views.load_message_out(db, settings, message)


async def list_driver_messages(
    caller: FleetKey | DriverCaller,
    filters: DriverMessageFilters,
    exchange: Exchange,
    db: Db,
    settings: Settings,
) -> Response[list[DriverMessageOut]]:
    """List messages between dispatch and drivers, newest first. Drivers see only their own."""
    page = await queries.list_messages(
        db, caller.company, filters, own_driver=auth.get_own_driver(caller)
    )
    outs = await views.load_message_outs(db, settings, caller.company, page.rows)
    return to_array_response(exchange, page, lambda row: outs[row.uuid])


async def mark_driver_message_read(
    caller: FleetKey | DriverCaller,
    driver_message_id: str,
    data: MessageReadIn,
    db: Db,
    settings: Settings,
) -> DriverMessageOut:
    """Mark a thread as read, up to this message, by the side that sends the request."""
    row = await service.mark_read(db, caller, driver_message_id, data.thread)
    return await views.load_message_out(db, settings, row)


_PATH: Final = "/driver-messages"
_READ_PATH: Final = f"{_PATH}/{{driver_message_id:str}}/read"
_ROUTE: Final[Mapping[str, Any]] = auth.DRIVER_OR_KEY_ROUTE
_SEND_PROBLEMS: Final = [NotFound, DriverRequired, OrderClosed, service.MessageConflict]
_PHOTO_BODY: Final[Any] = {
    "request_bodies": {
        "application/json": PhotoMessageIn,
        "multipart/form-data": {
            "type": "object",
            "properties": {
                "photos": {"type": "array", "items": {"type": "string", "format": "binary"}},
                **{name: {"type": "string"} for name in ("text", "driver", "order")},
                "message_uuid": {"type": "string", "format": "uuid"},
                "sent_at": {"type": "string", "format": "date-time"},
            },
        },
    }
}
routers: Final = (
    api_routers.api_router(
        "Driver messages",
        "drivers",
        [
            post(_PATH, problems=_SEND_PROBLEMS, **_ROUTE)(send_driver_message),
            post(
                f"{_PATH}/with-photos",
                opt=_PHOTO_BODY,
                problems=[*_SEND_PROBLEMS, *PHOTO_PROBLEMS],
                **_ROUTE,
            )(send_photos),
            get(_PATH, problems=[NotFound], **_ROUTE)(list_driver_messages),
            act(_READ_PATH, status_code=200, problems=[NotFound], **_ROUTE)(
                mark_driver_message_read
            ),
        ],
    ),
)
