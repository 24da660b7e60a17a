"""The proof gate: what an activity demands before it may fire."""

from collections.abc import Sequence

import msgspec

from pannier.db import Db
from pannier.errors import Problem
from pannier.orders.flow import Activity, PodMethod
from pannier.orders.models import Order
from pannier.payloads.models import Entity, SubjectType, Waypoint


class Demand(msgspec.Struct, frozen=True):
    """A proof that somebody has to capture."""

    subject_type: SubjectType
    subject_id: str
    method: PodMethod


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


async def missing(db: Db, order: Order, demanded: Sequence[Demand]) -> list[Demand]:
    """List the demands that no proof meets yet."""
    return [demand for demand in demanded if not await satisfied(db, order, demand)]


async def satisfied(_db: Db, _order: Order, _demand: Demand) -> bool:
    """Tell whether a proof meets a demand; until proofs can be captured, none does."""
    return False


def check(activity: Activity, lacking: Sequence[Demand]) -> None:
    """Refuse an activity whose proofs are not all there."""
    if lacking and activity.pod_method is not None:
        raise PodRequired(activity.pod_method, lacking)
