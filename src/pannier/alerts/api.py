"""HTTP handlers for alerts, for operators only: each has a list, and reads it alone."""

from typing import Any, Final

from pannier.accounts import api_routers, auth
from pannier.accounts.auth import Caller
from pannier.alerts import queries, reading
from pannier.alerts.queries import ALERTS
from pannier.alerts.schemas import (
    AlertFilters,
    AlertOut,
    AlertRulesChange,
    AlertRulesOut,
    ReadIn,
    UnreadOut,
)
from pannier.alerts.stream import AlertFollower
from pannier.db import Db
from pannier.errors import CursorInvalid, NotFound
from pannier.events import stream as events
from pannier.events.schemas import EventStreamFilters
from pannier.web import sse
from pannier.web.exchange import Exchange
from pannier.web.lists import Listed, to_envelope
from pannier.web.routes import get, patch, post
from pannier.web.streams import StreamedResponse, TooManyStreams

_ALERT: Final = "/alerts/{alert_id:str}"
_STREAM_OPTIONS: Final[dict[str, Any]] = {"responses": {200: {"text/event-stream": {}}}}


@get("/alerts")
async def list_alerts(caller: Caller, filters: AlertFilters, db: Db) -> Listed[AlertOut]:
    """List alerts, newest first."""
    return to_envelope(
        await queries.list_alerts(db, caller.company, caller.uuid, filters), AlertOut.from_row
    )


@get("/alerts/unread")
async def count_unread_alerts(caller: Caller, db: Db) -> UnreadOut:
    """Count the open alerts in your list that you have not read."""
    return await queries.count_unread(db, caller.company, caller.uuid)


@get("/alerts/stream", opt=_STREAM_OPTIONS, problems=[CursorInvalid, TooManyStreams])
async def stream_alerts(
    caller: Caller, filters: EventStreamFilters, exchange: Exchange, db: Db
) -> StreamedResponse:
    """Stream events as `GET /int/v1/events/stream` does, and changes of alerts.

    The message `alerts` says that an alert was opened, closed or acknowledged, and comes once at
    the start. The message `positions` says that drivers or vehicles have moved, at most four times
    a second, however many have.
    """
    follower = await events.make_follower(exchange, db, caller.company, filters)
    database = exchange.edge.database
    return sse.stream_events(exchange, AlertFollower(follower, database, caller.company))


@get(_ALERT, problems=[NotFound])
async def get_alert(caller: Caller, alert_id: str, db: Db) -> AlertOut:
    """Retrieve an alert."""
    return AlertOut.from_row(await ALERTS.get(db, caller.company, alert_id))


@post("/alerts/read", status_code=200)
async def mark_all_alerts_read(caller: Caller, data: ReadIn, db: Db) -> UnreadOut:
    """Mark the newest 10,000 alerts in your list as read. Others still see theirs."""
    await reading.mark_all_read(db, caller, data.until or db.now)
    return await queries.count_unread(db, caller.company, caller.uuid)


@post(f"{_ALERT}/read", status_code=200, problems=[NotFound])
async def mark_alert_read(caller: Caller, alert_id: str, db: Db) -> AlertOut:
    """Mark an alert as read by you."""
    alert = await ALERTS.get(db, caller.company, alert_id)
    await reading.mark_read(db, caller, alert)
    return AlertOut.from_row(alert)


@post(
    f"{_ALERT}/acknowledge",
    status_code=200,
    before_request=auth.require_operator("dispatcher"),
    problems=[NotFound],
)
async def acknowledge_alert(caller: Caller, alert_id: str, db: Db) -> AlertOut:
    """Take care of an alert, so that nobody's list shows it as unread.

    An alert of kind `sos` is closed by this. The others close when their cause ends.
    """
    alert = await ALERTS.lock(db, caller.company, alert_id)
    return AlertOut.from_row(await reading.acknowledge(db, caller, alert))


@get("/me/alert-rules")
async def get_alert_rules(caller: Caller, db: Db) -> AlertRulesOut:
    """Retrieve how you hear of each kind of alert."""
    return AlertRulesOut(**await queries.load_rules(db, caller.company, caller.uuid))


@patch("/me/alert-rules")
async def change_alert_rules(caller: Caller, data: AlertRulesChange, db: Db) -> AlertRulesOut:
    """Choose which kinds of alerts are in your list, and which are announced."""
    return AlertRulesOut(**await reading.change_rules(db, caller, data))


routers: Final = (
    api_routers.operator_router(
        "Alerts",
        "viewer",
        [
            list_alerts,
            count_unread_alerts,
            stream_alerts,
            get_alert,
            mark_all_alerts_read,
            mark_alert_read,
            acknowledge_alert,
            get_alert_rules,
            change_alert_rules,
        ],
    ),
)
