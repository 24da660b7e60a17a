"""Recording of the progress of payloads and stops."""

from typing import Any

from pannier.db import Db
from pannier.payloads.models import Payload, Waypoint
from pannier.payloads.queries import PAYLOADS, WAYPOINTS


async def update_payload_progress(
    db: Db,
    payload: Payload,
    *,
    deferred: bool = False,
    **columns: Any,  # noqa: ANN401 - columns
) -> Payload:
    """Record the current stop or the state of a payload."""
    row, _ = await PAYLOADS.change(db, payload, deferred=deferred, **columns)
    return row


async def update_stop_progress(
    db: Db,
    stop: Waypoint,
    *,
    deferred: bool = False,
    **columns: Any,  # noqa: ANN401 - columns
) -> Waypoint:
    """Record the latest activity or outcome of a stop."""
    row, _ = await WAYPOINTS.change(db, stop, deferred=deferred, **columns)
    return row
