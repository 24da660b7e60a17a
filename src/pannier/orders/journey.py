"""A journey: an order with what it moves and how far its flow has come."""

from collections.abc import Mapping
from typing import Self
from uuid import UUID

import msgspec

from pannier.db import Db
from pannier.orders import flow
from pannier.orders.aggregate import Aggregate
from pannier.orders.configs import service as configs
from pannier.orders.flow import Flow, Progress, Stop
from pannier.orders.models import ConfigVersion, Order
from pannier.payloads.models import Waypoint
from pannier.payloads.queries import Whole


class Journey(msgspec.Struct, frozen=True):
    """All that a move needs to know."""

    held: Aggregate
    progress: Progress

    @classmethod
    async def of(cls, db: Db, held: Aggregate) -> Self:
        """Tell how far an order has come on the flow it began with."""
        order = held.order
        kept = await configs.version(db, order.company, order.order_config, order.flow_version)
        return cls(held, progress(order, held.whole, kept))

    @property
    def order(self) -> Order:
        """The order as it is now."""
        return self.held.order

    @property
    def whole(self) -> Whole:
        """What it moves."""
        return self.held.whole

    @property
    def stop(self) -> Waypoint | None:
        """The stop the driver is at or heading for."""
        current = self.progress.current
        return None if current is None else self.whole.waypoints[current]

    def stop_of(self, code: str) -> Waypoint | None:
        """Name the stop at which an activity would happen; none of what concerns the whole."""
        return None if code in flow.HEAD or self.progress.returning else self.stop


def progress(order: Order, whole: Whole, kept: ConfigVersion) -> Progress:
    """Tell how far an order has come on the flow it began with."""
    main = {activity.code: activity for activity in kept.flow}
    stops = tuple(
        Stop(
            stop_flow(order, waypoint, main, kept.subflows),
            waypoint.activity,
            waypoint.undelivered,
            waypoint.type == "dropoff",
        )
        for waypoint in whole.waypoints
    )
    return Progress(
        main if stops else _proving(order, main),
        activity=order.activity,
        canceled=order.canceled_at is not None,
        stops=stops,
        current=_position(whole) if stops else None,
        undelivered=None if stops else order.undelivered,
    )


def stop_flow(
    order: Order, waypoint: Waypoint, main: Flow, subflows: Mapping[str, list[flow.Activity]]
) -> Flow:
    """Choose the flow of a stop: the one it names, or the order's own below its head."""
    named = subflows.get(waypoint.subflow or "")
    chosen = flow.below_head(main) if named is None else {each.code: each for each in named}
    if waypoint.pod_required and waypoint.pod_method is not None:
        return flow.demanding(chosen, waypoint.pod_method, "waypoint")
    return _proving(order, chosen, scope="waypoint")


def _proving(order: Order, chosen: Flow, scope: flow.PodScope = "order") -> Flow:
    if order.pod_required and order.pod_method is not None:
        return flow.demanding(chosen, order.pod_method, scope)
    return chosen


def _position(whole: Whole) -> int:
    """Find the present stop; the first one that is not done, when none is named."""
    places: dict[UUID, int] = {each.uuid: number for number, each in enumerate(whole.waypoints)}
    named = whole.payload.current_waypoint
    if named is not None and named in places:
        return places[named]
    left = [places[each.uuid] for each in whole.waypoints if not each.done]
    return left[0] if left else len(whole.waypoints) - 1
