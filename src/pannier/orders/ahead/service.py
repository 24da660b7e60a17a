"""Loading the remaining flow of an order, of its stops, and the proofs they require."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.db.row import PublicRow
from pannier.orders import flow, gate
from pannier.orders.ahead.schemas import ActivityAhead, DemandAhead, FlowOut, StopAhead
from pannier.orders.captures.scans import CodeBook
from pannier.orders.configs import service as configs
from pannier.orders.flow import Activity, Progress
from pannier.orders.progress import load_progress
from pannier.orders.reasons import FailureReason
from pannier.orders.tracking import queries as tracking
from pannier.orders.views import Aggregate
from pannier.payloads.models import Entity, Waypoint
from pannier.proofs import queries as proofs
from pannier.proofs.models import Proof
from pannier.web.spelling import spelled


class Outlook(msgspec.Struct):
    """An order's progress, with its unused proofs and the last activity of each subject."""

    read: Aggregate
    progress: Progress
    # By subject.
    available: Mapping[str, Sequence[Proof]]
    moved: dict[UUID, datetime]
    reasons: Sequence[FailureReason]
    # By the stop of their delivery.
    items: Mapping[UUID | None, Sequence[Entity]]

    def items_at(self, stop: Waypoint | None) -> Sequence[Entity]:
        """List the items delivered at a stop, or all items."""
        return self.read.whole.entities if stop is None else self.items.get(stop.uuid, ())

    def since(self, stop: Waypoint | None) -> datetime | None:
        """Return the time of the last activity at a stop, or on the whole order."""
        subjects = (self.read.order.uuid, stop.uuid if stop else None)
        known = [self.moved[subject] for subject in subjects if subject in self.moved]
        return max(known, default=None)


async def told(db: Db, read: Aggregate) -> FlowOut:
    """Load the remaining flow of an order. The number of queries is constant."""
    order = read.order
    progress = await load_progress(db, read)
    available = gate.by_subject(await proofs.unused(db, order.company, order.uuid))
    moved = await tracking.last_activities(db, order.company, order.uuid)
    reasons = await configs.reasons_of(db, order)
    items: dict[UUID | None, list[Entity]] = {}
    for item in read.whole.entities:
        items.setdefault(item.destination, []).append(item)
    return _spelled(Outlook(read, progress, available, moved, reasons, items))


def _spelled(seen: Outlook) -> FlowOut:
    read, progress = seen.read, seen.progress
    main = [each for each in progress.flow.values() if not progress.stops or each.code in flow.HEAD]
    main += [flow.RETURNED] if progress.goes_back else []
    following = flow.following(progress)
    activities = list(_activities(seen, main, None, following))
    stops = list(_stops(seen))
    every = [*activities, *(each for stop in stops for each in stop.activities)]
    known, strict = _codes(read, (demand for each in every for demand in each.demands))
    return FlowOut(
        order=read.order.public_id,
        status=read.order.status,
        activity=progress.activity,
        open=progress.open,
        current_waypoint=read.whole.stop.public_id if read.whole.stop else None,
        next=list(following),
        activities=activities,
        waypoints=stops,
        undelivered=progress.outcome,
        held=progress.outcome == "hold" and progress.open and not following,
        failure_reasons=list(seen.reasons),
        expected=strict,
        known=known,
    )


def _stops(seen: Outlook) -> Iterator[StopAhead]:
    whole, progress = seen.read.whole, seen.progress
    for row, stop in zip(whole.waypoints, progress.stops, strict=True):
        activities, following = list(stop.flow.values()), stop.following()
        yield spelled(
            row,
            StopAhead,
            done=stop.done,
            next=list(following) if progress.open else [],
            begin=list(flow.entries(activities)),
            activities=list(_activities(seen, activities, row, following)),
        )


def _activities(
    seen: Outlook, activities: Iterable[Activity], stop: Waypoint | None, following: Sequence[str]
) -> Iterator[ActivityAhead]:
    order, entities = seen.read.order, seen.items_at(stop)
    for activity in activities:
        demanded = gate.demands(activity, order, stop, entities)
        names = dict.fromkeys(name for demand in demanded for name in gate.accepted(demand, stop))
        # For a later activity, only a proof that was captured for it will still count.
        serving = [
            proof
            for name in names
            for proof in seen.available.get(name, ())
            if activity.code in following or proof.activity == activity.code
        ]
        outcome = gate.matched(demanded, serving, stop, activity.code, seen.since(stop))
        missing = frozenset(outcome.missing)
        demands = [spelled(demand, DemandAhead, met=demand not in missing) for demand in demanded]
        yield spelled(activity, ActivityAhead, next=list(activity.next), demands=demands)


def _codes(
    read: Aggregate, demands: Iterable[DemandAhead]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """List the codes of each subject that has to be scanned.

    Returns all codes, and separately those of subjects that accept only declared codes.
    """
    names = {demand.subject_id for demand in demands if demand.method == "scan"}
    if not names:
        return {}, {}
    order, whole = read.order, read.whole
    codes = CodeBook(order, whole, read.shown.numbers)
    rows: list[PublicRow] = [order, *whole.waypoints, *whole.entities]
    scanned = {row.public_id: row.uuid for row in rows if row.public_id in names}
    known = {name: codes.list_known(uuid) for name, uuid in scanned.items()}
    strict = {name: known[name] for name, uuid in scanned.items() if codes.list_declared(uuid)}
    return known, strict
