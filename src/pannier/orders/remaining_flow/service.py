"""Loading the remaining flow of an order, of its stops, and the proofs they require."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.db.row import PublicRow
from pannier.orders import flow, gate
from pannier.orders.captures.scans import CodeBook
from pannier.orders.configs import service as configs
from pannier.orders.flow import Activity, Progress
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
    # By subject.
    available: Mapping[str, Sequence[Proof]]
    last_activities: dict[UUID, datetime]
    reasons: Sequence[FailureReason]
    # By the stop of their delivery.
    items: Mapping[UUID | None, Sequence[Entity]]

    def items_at(self, stop: Waypoint | None) -> Sequence[Entity]:
        """List the items delivered at a stop, or all items."""
        return self.order.whole.entities if stop is None else self.items.get(stop.uuid, ())

    def last_activity_at(self, stop: Waypoint | None) -> datetime | None:
        """Return the time of the last activity at a stop, or on the whole order."""
        subjects = (self.order.row.uuid, stop.uuid if stop else None)
        times = [
            self.last_activities[subject] for subject in subjects if subject in self.last_activities
        ]
        return max(times, default=None)


async def load_flow(db: Db, order: OrderAggregate) -> FlowOut:
    """Load the remaining flow of an order. The number of queries is constant."""
    row = order.row
    progress = await load_progress(db, order)
    available = gate.group_by_subject(await proofs.list_unused_proofs(db, row.company, row.uuid))
    last_activities = await tracking.load_last_activities(db, row.company, row.uuid)
    reasons = await configs.load_reasons(db, row)
    items: dict[UUID | None, list[Entity]] = {}
    for item in order.whole.entities:
        items.setdefault(item.destination, []).append(item)
    return _to_flow_out(FlowContext(order, progress, available, last_activities, reasons, items))


def _to_flow_out(context: FlowContext) -> FlowOut:
    read, progress = context.order, context.progress
    main = [each for each in progress.flow.values() if not progress.stops or each.code in flow.HEAD]
    main += [flow.RETURNED] if progress.goes_back else []
    following = flow.list_next(progress)
    activities = list(_list_activities(context, main, None, following))
    stops = list(_list_stops(context))
    all_activities = [*activities, *(activity for stop in stops for activity in stop.activities)]
    codes, declared_codes = _list_codes(
        read, (demand for activity in all_activities for demand in activity.demands)
    )
    return FlowOut(
        order=read.row.public_id,
        status=read.row.status,
        activity=progress.activity,
        open=progress.open,
        current_waypoint=read.whole.stop.public_id if read.whole.stop else None,
        next=list(following),
        activities=activities,
        waypoints=stops,
        undelivered=progress.outcome,
        held=progress.outcome == "hold" and progress.open and not following,
        failure_reasons=list(context.reasons),
        expected=declared_codes,
        known=codes,
    )


def _list_stops(context: FlowContext) -> Iterator[StopAhead]:
    payload_aggregate, progress = context.order.whole, context.progress
    for row, stop in zip(payload_aggregate.waypoints, progress.stops, strict=True):
        activities, following = list(stop.flow.values()), stop.list_next()
        yield to_schema(
            row,
            StopAhead,
            done=stop.done,
            next=list(following) if progress.open else [],
            begin=list(flow.entry_codes(activities)),
            activities=list(_list_activities(context, activities, row, following)),
        )


def _list_activities(
    context: FlowContext,
    activities: Iterable[Activity],
    stop: Waypoint | None,
    following: Sequence[str],
) -> Iterator[ActivityAhead]:
    order, entities = context.order.row, context.items_at(stop)
    for activity in activities:
        demands = gate.list_demands(activity, order, stop, entities)
        names = dict.fromkeys(
            name for demand in demands for name in gate.list_accepted_subjects(demand, stop)
        )
        # For a later activity, only a proof that was captured for it will still count.
        serving = [
            proof
            for name in names
            for proof in context.available.get(name, ())
            if activity.code in following or proof.activity == activity.code
        ]
        outcome = gate.match_proofs(
            demands, serving, stop, activity.code, context.last_activity_at(stop)
        )
        unmet = frozenset(outcome.missing)
        demand_outs = [
            to_schema(demand, DemandAhead, met=demand not in unmet) for demand in demands
        ]
        yield to_schema(activity, ActivityAhead, next=list(activity.next), demands=demand_outs)


def _list_codes(
    order: OrderAggregate, demands: Iterable[DemandAhead]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """List the codes of each subject that has to be scanned.

    Returns all codes, and separately those of subjects that accept only declared codes.
    """
    names = {demand.subject_id for demand in demands if demand.method == "scan"}
    if not names:
        return {}, {}
    order_row, payload_aggregate = order.row, order.whole
    codes = CodeBook(order_row, payload_aggregate, order.related.numbers)
    rows: list[PublicRow] = [order_row, *payload_aggregate.waypoints, *payload_aggregate.entities]
    scanned = {row.public_id: row.uuid for row in rows if row.public_id in names}
    codes_by_item = {name: codes.list_known_codes(uuid) for name, uuid in scanned.items()}
    strict = {
        name: codes_by_item[name]
        for name, uuid in scanned.items()
        if codes.list_declared_codes(uuid)
    }
    return codes_by_item, strict
