"""HTTP handlers of messages between dispatch and drivers."""

from collections.abc import Mapping
from typing import Any, Final

from litestar import Response

from pannier.accounts import api_routers
from pannier.accounts.auth import FleetKey
from pannier.conversations import queries, service
from pannier.conversations.schemas import (
    DriverMessageFilters,
    DriverMessageIn,
    DriverMessageOut,
    MessageReadIn,
)
from pannier.db import Db
from pannier.errors import NotFound
from pannier.fleet import auth
from pannier.fleet.auth import DriverCaller
from pannier.orders.assignment import DriverRequired
from pannier.web.exchange import Exchange
from pannier.web.lists import to_array_response
from pannier.web.resources import Resource
from pannier.web.routes import act, get, post

messages: Final = Resource(
    queries.MESSAGES,
    path="driver-messages",
    show=queries.load_messages_out,
    read=False,
    remove=False,
)


async def send_driver_message(
    caller: FleetKey | DriverCaller, data: DriverMessageIn, db: Db
) -> DriverMessageOut:
    """Send a message to a driver. Signed-in drivers send it to dispatch."""
    return await messages.to_out(db, await service.send_message(db, caller, data))


async def list_driver_messages(
    caller: FleetKey | DriverCaller, filters: DriverMessageFilters, exchange: Exchange, db: Db
) -> Response[list[DriverMessageOut]]:
    """List messages between dispatch and drivers, newest first. Drivers see only their own."""
    page = await queries.list_messages(
        db, caller.company, filters, own_driver=auth.get_own_driver(caller)
    )
    outs = await queries.load_messages_out(db, caller.company, page.rows)
    outs_by_uuid = {out.uuid: out for out in outs}
    return to_array_response(exchange, page, lambda row: outs_by_uuid[row.uuid])


async def mark_driver_message_read(
    caller: FleetKey | DriverCaller, driver_message_id: str, data: MessageReadIn, db: Db
) -> DriverMessageOut:
    """Mark a thread as read, up to this message, by the side that sends the request."""
    row = await service.mark_read(db, caller, driver_message_id, data.thread)
    return await messages.to_out(db, row)


_PATH: Final = "/driver-messages"
_READ_PATH: Final = f"{_PATH}/{{driver_message_id:str}}/read"
_ROUTE: Final[Mapping[str, Any]] = auth.DRIVER_OR_KEY_ROUTE
_SEND_PROBLEMS: Final = [NotFound, DriverRequired, service.MessageConflict]
routers: Final = (
    api_routers.api_router(
        "Driver messages",
        "drivers",
        [
            post(_PATH, problems=_SEND_PROBLEMS, **_ROUTE)(send_driver_message),
            get(_PATH, problems=[NotFound], **_ROUTE)(list_driver_messages),
            act(_READ_PATH, status_code=200, problems=[NotFound], **_ROUTE)(
                mark_driver_message_read
            ),
        ],
    ),
)
