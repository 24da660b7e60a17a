"""The proof gate: what an activity demands before it may fire, and which proofs meet that."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from pannier.db import Db
from pannier.errors import Problem
from pannier.orders.flow import Activity, PodMethod
from pannier.orders.models import Order
from pannier.orders.tracking import queries as tracking
from pannier.payloads.models import Entity, SubjectType, Waypoint
from pannier.proofs import queries as proofs
from pannier.proofs.models import Proof


class Demand(msgspec.Struct, frozen=True):
    """A proof that somebody has to capture."""

    subject_type: SubjectType
    subject_id: str
    method: PodMethod


class Outcome(NamedTuple):
    """The proofs that let an activity happen, and the demands that none meets."""

    serving: list[Proof]
    missing: list[Demand]


class PodRequired(Problem):
    """The activity needs a proof of delivery first; nothing changed."""

    status, code = 422, "pod_required"
    title = "Capture the proof of delivery first."

    def __init__(self, method: PodMethod, missing: Sequence[Demand]) -> None:
        names = ", ".join(demand.subject_id for demand in missing)
        super().__init__(
            f"This needs a {method} proof first, of: {names}.",
            method=method,
            missing=[msgspec.structs.asdict(demand) for demand in missing],
        )


def demands(
    activity: Activity, order: Order, stop: Waypoint | None, entities: Sequence[Entity]
) -> list[Demand]:
    """List the proofs that an activity needs, at a stop or on the whole order."""
    method = activity.pod_method
    if not activity.require_pod or method is None:
        return []
    here = [item for item in entities if stop is None or item.destination == stop.uuid]
    if activity.pod_scope == "entity" and here:
        return [Demand("entity", item.public_id, method) for item in here]
    # Where there is no item to prove, or no stop to prove it at, the next larger thing is proved.
    if activity.pod_scope != "order" and stop is not None:
        return [Demand("waypoint", stop.public_id, method)]
    return [Demand("order", order.public_id, method)]


def fresh(proof: Proof, code: str, since: datetime | None) -> bool:
    """Tell whether a proof is of this step and not of an earlier one.

    A device without reception may send what it captured after the activity before was recorded,
    so a proof that came in since then is taken as well as one that was captured since then.
    """
    if since is None or proof.activity == code:
        return True
    return max(proof.created_at, proof.received_at) >= since


def satisfied(demand: Demand, proof: Proof, stop: Waypoint | None, code: str) -> bool:
    """Tell whether a proof is the kind that a demand asks for, of the right subject."""
    accepted = {demand.subject_id}
    if demand.subject_type == "order" and stop is not None:
        accepted.add(stop.public_id)
    meant = proof.activity in {None, code}
    return meant and proof.subject_id in accepted and proof.method in {demand.method, "override"}


def matched(
    demanded: Sequence[Demand],
    available: Sequence[Proof],
    stop: Waypoint | None,
    code: str,
    since: datetime | None,
) -> Outcome:
    """Give each demand a proof of its own, the oldest that fits."""
    left = [proof for proof in available if fresh(proof, code, since)]
    serving, missing = [], []
    for demand in demanded:
        found = next((one for one in left if satisfied(demand, one, stop, code)), None)
        if found is None:
            missing.append(demand)
        else:
            left.remove(found)
            serving.append(found)
    return Outcome(serving, missing)


async def looked_at(
    db: Db, order: Order, activity: Activity, stop: Waypoint | None, entities: Sequence[Entity]
) -> Outcome:
    """Find the proofs that let an activity happen, and what is missing."""
    demanded = demands(activity, order, stop, entities)
    if not demanded:
        return Outcome([], [])
    available = await proofs.unused(db, order.company, order.uuid)
    since = await tracking.last_activity(
        db, order.company, order.uuid, stop.uuid if stop else order.uuid
    )
    return matched(demanded, available, stop, activity.code, since)


def check(activity: Activity, outcome: Outcome) -> None:
    """Refuse an activity whose proofs are not all there."""
    if outcome.missing and activity.pod_method is not None:
        raise PodRequired(activity.pod_method, outcome.missing)
