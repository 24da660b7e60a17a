"""The activities that may fire now, and the proofs they still need."""

from pannier.db import Db
from pannier.orders import flow, gate, moves
from pannier.orders.action_schemas import DemandOut, NextActivity
from pannier.orders.flow import Activity
from pannier.orders.gate import Demand
from pannier.orders.progress import find_stop, load_progress
from pannier.orders.views import Aggregate
from pannier.payloads.models import Waypoint
from pannier.web.spelling import spelled


async def following(db: Db, read: Aggregate, waypoint: str | None) -> list[NextActivity]:
    """List the activities that may fire now.

    For a given stop, the list is empty unless it is the current stop of a started order.
    """
    progress, order = await load_progress(db, read), read.order
    if waypoint is not None:
        number = moves.stop_number(read, waypoint)
        if number != progress.current or order.started_at is None:
            return []
    found = []
    for code in flow.following(progress):
        activity = flow.activity_of(progress, code)
        stop = find_stop(read, progress, code)
        proved = await gate.looked_at(db, order, activity, stop, read.whole.entities)
        found.append(_spelled(activity, stop, proved.missing))
    return found


def _spelled(activity: Activity, stop: Waypoint | None, missing: list[Demand]) -> NextActivity:
    return spelled(
        activity,
        NextActivity,
        waypoint=stop.public_id if stop else None,
        missing=[DemandOut(each.subject_type, each.subject_id, each.method) for each in missing],
    )
