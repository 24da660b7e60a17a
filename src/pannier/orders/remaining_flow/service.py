"""The remaining flow of an order and its stops, with the proofs that it requires."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.db.row import PublicRow
from pannier.orders import flow, gate
from pannier.orders.activities import Activity
from pannier.orders.captures.scans import CodeBook
from pannier.orders.configs import service as configs
from pannier.orders.flow import Progress
from pannier.orders.pickup_steps import find_stop_entry_codes
from pannier.orders.progress import load_progress
from pannier.orders.reasons import FailureReason
from pannier.orders.remaining_flow.schemas import ActivityAhead, DemandAhead, FlowOut, StopAhead
from pannier.orders.tracking import queries as tracking
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import Entity, Waypoint
from pannier.proofs import queries as proofs
from pannier.proofs.models import Proof
from pannier.web.serialization import to_schema


class FlowContext(msgspec.Struct):
    """An order's progress, with its unused proofs and the last activity of each subject."""

    order: OrderAggregate
    progress: Progress
    proofs_by_subject: Mapping[str, Sequence[Proof]]
    last_activities: dict[UUID, datetime]
    reasons: Sequence[FailureReason]
    items_by_stop: Mapping[UUID | None, Sequence[Entity]]

    def list_items(self, stop: Waypoint | None) -> Sequence[Entity]:
        """List the items delivered at a stop, or all items."""
        return (
            self.order.payload_aggregate.entities
            if stop is None
            else self.items_by_stop.get(stop.uuid, ())
        )

    def find_last_activity_time(self, stop: Waypoint | None) -> datetime | None:
        """Return the time of the last activity at a stop, or on the whole order."""
        subjects = (self.order.row.uuid, stop.uuid if stop else None)
        times = [
            self.last_activities[subject] for subject in subjects if subject in self.last_activities
        ]
        return max(times, default=None)


async def load_flow(db: Db, order: OrderAggregate) -> FlowOut:
    """Load the remaining flow of an order, in a constant number of queries."""
    row = order.row
    progress = await load_progress(db, order)
    proofs_by_subject = gate.group_proofs_by_subject(
        await proofs.list_unused_proofs(db, row.company, row.uuid)
    )
    last_activities = await tracking.load_last_activity_times(db, row.company, row.uuid)
    reasons = await configs.load_reasons(db, row)
    items_by_stop: dict[UUID | None, list[Entity]] = {}
    for item in order.payload_aggregate.entities:
        items_by_stop.setdefault(item.destination, []).append(item)
    return _to_flow_out(
        FlowContext(order, progress, proofs_by_subject, last_activities, reasons, items_by_stop)
    )


def _to_flow_out(context: FlowContext) -> FlowOut:
    order, progress = context.order, context.progress
    order_activities = [
        activity
        for activity in progress.flow.values()
        if not progress.stops or activity.code in flow.HEAD
    ]
    order_activities += [flow.RETURNED] if progress.has_returns else []
    next_codes = flow.list_next_codes(progress)
    activities = list(_list_activities(context, order_activities, None, next_codes))
    stops = list(_list_stops(context))
    all_activities = [*activities, *(activity for stop in stops for activity in stop.activities)]
    codes, declared_codes = _list_codes(
        order, (demand for activity in all_activities for demand in activity.demands)
    )
    return FlowOut(
        order=order.row.public_id,
        status=order.row.status,
        activity=progress.activity,
        open=progress.open,
        current_waypoint=order.payload_aggregate.stop.public_id
        if order.payload_aggregate.stop
        else None,
        next=list(next_codes),
        collecting=progress.collecting and progress.open,
        activities=activities,
        waypoints=stops,
        undelivered=progress.outcome,
        held=progress.outcome == "hold" and progress.open and not next_codes,
        failure_reasons=list(context.reasons),
        expected=declared_codes,
        known=codes,
    )


def _list_stops(context: FlowContext) -> Iterator[StopAhead]:
    payload_aggregate, progress = context.order.payload_aggregate, context.progress
    for row, stop in zip(payload_aggregate.waypoints, progress.stops, strict=True):
        activities, next_codes = list(stop.flow.values()), stop.list_next_codes()
        yield to_schema(
            row,
            StopAhead,
            done=stop.done,
            next=list(next_codes) if progress.open else [],
            begin=list(find_stop_entry_codes(activities)),
            activities=list(_list_activities(context, activities, row, next_codes)),
        )


def _list_activities(
    context: FlowContext,
    activities: Iterable[Activity],
    stop: Waypoint | None,
    next_codes: Sequence[str],
) -> Iterator[ActivityAhead]:
    order, entities = context.order.row, context.list_items(stop)
    for activity in activities:
        requirements = gate.list_required_proofs(activity, order, stop, entities)
        names = dict.fromkeys(
            name
            for requirement in requirements
            for name in gate.list_accepted_subjects(requirement, stop)
        )
        # For a later activity, only a proof that was captured for it will still count.
        candidates = [
            proof
            for name in names
            for proof in context.proofs_by_subject.get(name, ())
            if activity.code in next_codes or proof.activity == activity.code
        ]
        proof_match = gate.match_proofs(
            requirements, candidates, stop, activity.code, context.find_last_activity_time(stop)
        )
        unmet_requirements = frozenset(proof_match.missing)
        demand_outs = [
            to_schema(requirement, DemandAhead, met=requirement not in unmet_requirements)
            for requirement in requirements
        ]
        yield to_schema(activity, ActivityAhead, next=list(activity.next), demands=demand_outs)


def _list_codes(
    order: OrderAggregate, demands: Iterable[DemandAhead]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """List the codes of each subject that has to be scanned.

    Returns all codes, and separately those of subjects that accept only declared codes.
    """
    subject_ids = {demand.subject_id for demand in demands if demand.method == "scan"}
    if not subject_ids:
        return {}, {}
    order_row, payload_aggregate = order.row, order.payload_aggregate
    code_book = CodeBook(order_row, payload_aggregate, order.related.numbers)
    rows: list[PublicRow] = [order_row, *payload_aggregate.waypoints, *payload_aggregate.entities]
    subjects = {row.public_id: row.uuid for row in rows if row.public_id in subject_ids}
    codes_by_subject = {name: code_book.list_known_codes(uuid) for name, uuid in subjects.items()}
    exclusive_codes = {
        name: codes_by_subject[name]
        for name, uuid in subjects.items()
        if code_book.list_declared_codes(uuid)
    }
    return codes_by_subject, exclusive_codes
