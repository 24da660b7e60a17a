"""The proofs that an activity requires before it may fire."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from pannier.db import Db
from pannier.errors import Problem
from pannier.orders.activities import Activity, PodMethod
from pannier.orders.models import Order
from pannier.orders.tracking import queries as tracking
from pannier.payloads.models import Entity, SubjectType, Waypoint
from pannier.proofs import queries as proofs
from pannier.proofs.models import Proof


class ProofRequirement(msgspec.Struct, frozen=True):
    """A proof that has to be captured."""

    subject_type: SubjectType
    subject_id: str
    method: PodMethod


class ProofMatch(NamedTuple):
    """The proofs that meet requirements, and the requirements that are not met."""

    used_proofs: list[Proof]
    missing: list[ProofRequirement]


class PodRequired(Problem):
    """The activity requires a proof of delivery, so nothing was changed."""

    status, code = 422, "pod_required"
    title = "A proof of delivery is required."
    remedy = "Capture the proof first."

    def __init__(self, method: PodMethod, unmet_requirements: Sequence[ProofRequirement]) -> None:
        names = ", ".join(requirement.subject_id for requirement in unmet_requirements)
        super().__init__(
            f"This step first needs a {method} proof of: {names}.",
            method=method,
            missing=[msgspec.structs.asdict(requirement) for requirement in unmet_requirements],
        )


def list_required_proofs(
    activity: Activity, order: Order, stop: Waypoint | None, entities: Sequence[Entity]
) -> list[ProofRequirement]:
    """List the proofs that an activity requires, at a stop or on the whole order."""
    method = activity.pod_method
    if not activity.require_pod or method is None:
        return []
    if activity.pod_scope == "entity":
        stop_items = [item for item in entities if stop is None or item.destination == stop.uuid]
        if stop_items:
            return [ProofRequirement("entity", item.public_id, method) for item in stop_items]
    # If the stop has no items, the proof is for the stop; if there is no stop, it is for the order.
    if activity.pod_scope != "order" and stop is not None:
        return [ProofRequirement("waypoint", stop.public_id, method)]
    return [ProofRequirement("order", order.public_id, method)]


def is_fresh(proof: Proof, code: str, since: datetime | None) -> bool:
    """Return whether a proof belongs to this step rather than to an earlier one.

    An offline device may send a proof after the previous activity was recorded. A proof therefore
    counts if it was captured or received since then.
    """
    if since is None or proof.activity == code:
        return True
    return max(proof.created_at, proof.received_at) >= since


def list_accepted_subjects(requirement: ProofRequirement, stop: Waypoint | None) -> list[str]:
    """List the subjects whose proofs meet a requirement.

    A proof of the current stop also counts for its order.
    """
    if requirement.subject_type == "order" and stop is not None:
        return [requirement.subject_id, stop.public_id]
    return [requirement.subject_id]


def is_met_by(requirement: ProofRequirement, proof: Proof, code: str) -> bool:
    """Return whether a proof has the required method, and does not belong to another activity."""
    return proof.activity in {None, code} and proof.method in {requirement.method, "override"}


def match_proofs(
    requirements: Sequence[ProofRequirement],
    available_proofs: Sequence[Proof],
    stop: Waypoint | None,
    code: str,
    since: datetime | None,
) -> ProofMatch:
    """Assign the oldest suitable proof to each requirement. A proof meets only one."""
    proofs_by_subject = group_proofs_by_subject(
        proof for proof in available_proofs if is_fresh(proof, code, since)
    )
    used_proofs, unmet_requirements = [], []
    for requirement in requirements:
        candidates = [
            proof
            for name in list_accepted_subjects(requirement, stop)
            for proof in proofs_by_subject.get(name, ())
        ]
        suitable_proofs = [proof for proof in candidates if is_met_by(requirement, proof, code)]
        if suitable_proofs:
            oldest_proof = min(suitable_proofs, key=lambda proof: proof.sequence)
            proofs_by_subject[oldest_proof.subject_id].remove(oldest_proof)
            used_proofs.append(oldest_proof)
        else:
            unmet_requirements.append(requirement)
    return ProofMatch(used_proofs, unmet_requirements)


def group_proofs_by_subject(proofs: Iterable[Proof]) -> dict[str, list[Proof]]:
    """Group proofs by subject.

    An order with a thousand items then does not scan all proofs for each one.
    """
    proofs_by_subject: dict[str, list[Proof]] = {}
    for proof in proofs:
        proofs_by_subject.setdefault(proof.subject_id, []).append(proof)
    return proofs_by_subject


async def match_unused_proofs(
    db: Db, order: Order, activity: Activity, stop: Waypoint | None, entities: Sequence[Entity]
) -> ProofMatch:
    """Match the unused proofs against the activity's proof requirements."""
    requirements = list_required_proofs(activity, order, stop, entities)
    if not requirements:
        return ProofMatch([], [])
    unused_proofs = await proofs.list_unused_proofs(db, order.company, order.uuid)
    since = await tracking.find_last_activity_time(
        db, order.company, order.uuid, stop.uuid if stop else order.uuid
    )
    return match_proofs(requirements, unused_proofs, stop, activity.code, since)


def check_proofs(activity: Activity, proof_match: ProofMatch) -> None:
    """Reject an activity whose proofs are incomplete."""
    if proof_match.missing and activity.pod_method is not None:
        raise PodRequired(activity.pod_method, proof_match.missing)
