"""Scans that match none of their subject's codes: refused, or accepted with a reason and a photo.

An activity's `scan_mismatch` decides. Without it, only codes that items declare exclude others.
"""

from collections.abc import Iterable
from typing import Final

from pannier.db import Db
from pannier.errors import Problem
from pannier.orders import flow
from pannier.orders.activities import Activity, ScanMismatch
from pannier.orders.flow import Progress
from pannier.orders.models import Order
from pannier.orders.progress import load_progress
from pannier.orders.views import OrderAggregate
from pannier.proofs.evidence import Evidence

# The strictest first.
POLICIES: Final[tuple[ScanMismatch, ...]] = ("refuse", "explain")


class CodeMismatch(Problem):
    """The scanned code is not one of the expected codes."""

    status, code, title = 422, "code_mismatch", "The code does not match."
    remedy = "Scan a code of this order, stop or item."


class MismatchUnexplained(Problem):
    """The activity accepts a code that does not match only with a reason and a photo."""

    status, code = 422, "mismatch_unexplained"
    title = "Another code needs a reason and a photo."
    remedy = "Scan the correct code, or send `mismatch_reason` and a photo."


async def check_mismatch(
    db: Db, order: Order, activity: str | None, evidence: Evidence, *, has_declared_codes: bool
) -> None:
    """Reject a scan that matches none of its subject's codes, unless it may be stored."""
    policy = await _load_policy(db, order, activity)
    is_explained = bool(evidence.details["scan"].get("reason")) and evidence.picture is not None
    if policy == "explain" and is_explained:
        return
    if policy == "refuse" or has_declared_codes:
        raise CodeMismatch
    if policy == "explain":
        raise MismatchUnexplained


async def _load_policy(db: Db, order: Order, activity: str | None) -> ScanMismatch | None:
    progress = await load_progress(db, await OrderAggregate.load(db, order))
    return find_policy(progress, activity)


def find_policy(progress: Progress, activity: str | None) -> ScanMismatch | None:
    """Return the strictest policy of the activities that a scan may be for.

    These are those with the given code, or else the scans that may be required next.
    """
    activities = (
        [flow.get_activity(progress, code) for code in flow.list_next_codes(progress)]
        if activity is None
        else _list_by_code(progress, activity)
    )
    policies = {one.scan_mismatch for one in activities if one.pod_method == "scan"}
    return next((policy for policy in POLICIES if policy in policies), None)


def _list_by_code(progress: Progress, code: str) -> Iterable[Activity]:
    flows = (progress.flow, *(stop.flow for stop in progress.stops))
    return [flow_activities[code] for flow_activities in flows if code in flow_activities]
