"""Recording the progress of payloads and stops."""

from typing import Any

from pannier.db import Db
from pannier.payloads.models import Payload, Waypoint
from pannier.payloads.queries import PAYLOADS, WAYPOINTS


async def advance_payload(
    db: Db,
    payload: Payload,
    *,
    soon: bool = False,
    **columns: Any,  # noqa: ANN401 - columns
) -> Payload:
    """Record the current stop or the state of a payload."""
    updated, _ = await PAYLOADS.change(db, payload, deferred=soon, **columns)
    return updated


async def advance_stop(
    db: Db,
    stop: Waypoint,
    *,
    soon: bool = False,
    **columns: Any,  # noqa: ANN401 - columns
) -> Waypoint:
    """Record the latest activity or outcome of a stop."""
    updated, _ = await WAYPOINTS.change(db, stop, deferred=soon, **columns)
    return updated
