"""The activities that may fire now, and the proofs they still need."""

from pannier.db import Db
from pannier.orders import flow, gate, moves
from pannier.orders.action_schemas import DemandOut, NextActivity
from pannier.orders.activities import Activity
from pannier.orders.gate import ProofRequirement
from pannier.orders.progress import find_stop, load_progress
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import Waypoint
from pannier.web.serialization import to_schema


async def list_next_activities(
    db: Db, order: OrderAggregate, waypoint: str | None
) -> list[NextActivity]:
    """List the activities that may fire now.

    For a given stop, the list is empty unless it is the current stop of a started order.
    """
    progress, row = await load_progress(db, order), order.row
    if waypoint is not None:
        stop_index = moves.get_stop_index(order, waypoint)
        if stop_index != progress.current or row.started_at is None:
            return []
    next_activities = []
    for code in flow.list_next_codes(progress):
        activity = flow.get_activity(progress, code)
        stop = find_stop(order, progress, code)
        proof_match = await gate.match_unused_proofs(
            db, row, activity, stop, order.payload_aggregate.entities
        )
        next_activities.append(_to_next_activity(activity, stop, proof_match.missing))
    return next_activities


def _to_next_activity(
    activity: Activity, stop: Waypoint | None, unmet_requirements: list[ProofRequirement]
) -> NextActivity:
    return to_schema(
        activity,
        NextActivity,
        waypoint=stop.public_id if stop else None,
        missing=[
            DemandOut(requirement.subject_type, requirement.subject_id, requirement.method)
            for requirement in unmet_requirements
        ],
    )
