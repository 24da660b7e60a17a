"""Loading and saving of the progress of orders. No other module writes it."""

from collections.abc import Mapping
from typing import Any, Final

from pannier.alerts import service as alerts
from pannier.db import Db
from pannier.orders import flow
from pannier.orders.activities import Activity, Flow, PodScope
from pannier.orders.configs import service as configs
from pannier.orders.flow import Progress, StopProgress
from pannier.orders.models import ConfigVersion, Order
from pannier.orders.pickup_steps import drop_steps, has_steps, to_pickup_flow
from pannier.orders.queries import ORDERS
from pannier.orders.views import OrderAggregate
from pannier.payloads.models import Waypoint
from pannier.payloads.progress import update_payload_progress, update_stop_progress
from pannier.payloads.queries import PayloadAggregate

_HEAD_TIMES: Final = {flow.DISPATCHED: "dispatched_at", flow.STARTED: "started_at"}
# Changed fields that an event lists.
_EVENT_FIELDS: Final = ("status", "attempts", "undelivered", "current_waypoint")


async def load_progress(db: Db, order: OrderAggregate) -> Progress:
    """Load the progress of an order on the flow version that it started with."""
    row = order.row
    flow_version = await configs.load_version(db, row.company, row.order_config, row.flow_version)
    return _build_progress(row, order.payload_aggregate, flow_version)


def find_stop(order: OrderAggregate, progress: Progress, code: str) -> Waypoint | None:
    """Return the stop where an activity fires; None if it concerns the whole order."""
    return None if code in flow.HEAD or progress.is_returning else order.payload_aggregate.stop


async def save_progress(
    db: Db,
    order: OrderAggregate,
    progress: Progress,
    new_progress: Progress,
    *,
    failed_attempts: int = 0,
    **columns: Any,  # noqa: ANN401 - columns
) -> list[str]:
    """Save the progress of an order, its payload and its stops.

    Returns the changed fields that an event lists. `failed_attempts` is added to the count of the
    order and its stop; `columns` are further changes of the order.
    """
    payload_aggregate, progress_pairs = (
        order.payload_aggregate,
        zip(progress.stops, new_progress.stops, strict=True),
    )
    stops = [
        stop
        if new_stop_progress is stop_progress
        else await _save_stop(db, stop, new_stop_progress, failed_attempts)
        for stop, (stop_progress, new_stop_progress) in zip(
            payload_aggregate.waypoints, progress_pairs, strict=True
        )
    ]
    payload = await update_payload_progress(
        db,
        payload_aggregate.payload,
        deferred=True,
        **_payload_columns(payload_aggregate, new_progress),
    )
    order.put(payload, stops)
    columns |= _order_columns(db, order.row, new_progress, failed_attempts)
    order.row, names = await ORDERS.change(db, order.row, deferred=True, **columns)
    if progress.open and not new_progress.open:
        await alerts.close_all_alerts(db, order.row.company, order.row.uuid)
    if not names and order.payload_aggregate != payload_aggregate:
        # A change of stop may leave the order's own row unchanged.
        order.row = await ORDERS.touch(db, order.row)
    if progress.current != new_progress.current:
        names = [*names, "current_waypoint"]
    return [name for name in _EVENT_FIELDS if name in names]


async def _save_stop(
    db: Db, stop: Waypoint, progress: StopProgress, failed_attempts: int
) -> Waypoint:
    return await update_stop_progress(
        db,
        stop,
        deferred=True,
        activity=progress.activity,
        undelivered=progress.undelivered,
        attempts=stop.attempts + failed_attempts,
        completed_at=db.now if progress.completed else None,
    )


def _payload_columns(payload_aggregate: PayloadAggregate, progress: Progress) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    if progress.current is not None:
        columns["current_waypoint"] = payload_aggregate.waypoints[progress.current].uuid
    if not progress.open:
        columns["state"] = "closed"
    elif progress.activity not in {flow.CREATED, flow.DISPATCHED}:
        columns["state"] = "begun"
    return columns


def _order_columns(
    db: Db, order: Order, progress: Progress, failed_attempts: int
) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "status": progress.status,
        "activity": progress.activity,
        "attempts": order.attempts + failed_attempts,
        "undelivered": progress.outcome,
        **_list_pickup_columns(progress),
    }
    time_column = _HEAD_TIMES.get(progress.activity)
    if time_column is not None and getattr(order, time_column) is None:
        columns[time_column] = db.now
    if not progress.open:
        columns["canceled_at" if progress.canceled else "completed_at"] = db.now
    return columns


def _list_pickup_columns(progress: Progress) -> dict[str, bool]:
    """Return whether the driver has to be at the pickup, and whether its steps are over.

    A started order is under way to its pickup until the last step there, even if the steps are
    optional. Skipping them leaves the pickup.
    """
    has_started = progress.activity not in {flow.CREATED, flow.DISPATCHED}
    is_at_pickup = has_started and progress.collecting
    is_over = has_started and not progress.collecting
    return {"at_pickup": is_at_pickup, "collected": is_over and has_steps(progress.flow.values())}


def _build_progress(
    order: Order, payload_aggregate: PayloadAggregate, version: ConfigVersion
) -> Progress:
    """Build the progress from the rows and the flow version that the order started with."""
    main_flow = {activity.code: activity for activity in version.flow}
    stops = tuple(
        StopProgress(
            choose_stop_flow(order, waypoint, main_flow, version.subflows),
            waypoint.activity,
            waypoint.undelivered,
            waypoint.type == "dropoff",
        )
        for waypoint in payload_aggregate.waypoints
    )
    return Progress(
        main_flow if stops else _require_proofs(order, main_flow),
        activity=order.activity,
        canceled=order.canceled_at is not None,
        stops=stops,
        current=payload_aggregate.current_index,
        undelivered=None if stops else order.undelivered,
        collecting=not stops and has_steps(main_flow.values()) and not order.collected,
    )


def choose_stop_flow(
    order: Order, waypoint: Waypoint, main_flow: Flow, subflows: Mapping[str, list[Activity]]
) -> Flow:
    """Choose the flow of a stop: its own sub-flow, or the order's flow without the head."""
    activities = subflows.get(waypoint.subflow or "")
    stop_activities: Flow
    if activities is not None:
        stop_activities = {activity.code: activity for activity in activities}
    elif waypoint.type == "pickup":
        stop_activities = to_pickup_flow(flow.strip_head(main_flow))
    else:
        stop_activities = drop_steps(flow.strip_head(main_flow), ())
    if waypoint.pod_required and waypoint.pod_method is not None:
        return flow.require_proofs(stop_activities, waypoint.pod_method, "waypoint")
    return _require_proofs(order, stop_activities, scope="waypoint")


def _require_proofs(order: Order, activities: Flow, scope: PodScope = "order") -> Flow:
    if order.pod_required and order.pod_method is not None:
        return flow.require_proofs(activities, order.pod_method, scope)
    return activities
