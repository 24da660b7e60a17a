"""Rendering the routes of a plan with current names and addresses."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from pannier.db import Db
from pannier.fleet.models import Driver, Vehicle
from pannier.fleet.queries import DRIVERS, VEHICLES
from pannier.fleet.schemas import PointOut
from pannier.kit.geo import Point
from pannier.orders import numbering
from pannier.orders.models import Order
from pannier.orders.queries import ORDERS
from pannier.places.models import PlaceRow
from pannier.places.queries import places
from pannier.planning.figures import PromisedTimes
from pannier.planning.material import (
    CUBIC_CENTIMETRES,
    GRAMS,
    PlanMaterial,
    ShiftMaterial,
)
from pannier.planning.plan import LeftOut, Plan, PlannedRoute, PlannedStop
from pannier.planning.plan_out import (
    REASON_MESSAGES,
    IdleDriverOut,
    PlanBreakOut,
    PlanDriverOut,
    PlanLoadOut,
    PlanMoveOut,
    PlanPlaceOut,
    PlanRouteOut,
    PlanStopOut,
    PlanVehicleOut,
    UnassignedOut,
    UnassignedReason,
)
from pannier.planning.problem import Loads
from pannier.web.times import to_rfc3339


class PlanNames:
    """A plan's material with the records that it refers to."""

    def __init__(
        self,
        material: PlanMaterial,
        orders: Mapping[UUID, Order],
        numbers: Mapping[UUID, str],
        drivers: Mapping[UUID, Driver],
        vehicles: Mapping[UUID, Vehicle],
        places_by_uuid: Mapping[UUID, PlaceRow],
    ) -> None:
        self.material = material
        self._rows, self._numbers, self._drivers = orders, numbers, drivers
        self._vehicles, self._places = vehicles, places_by_uuid
        self._promises = PromisedTimes(material)
        self._orders = {order.key: order for order in material.orders}
        self._stops = {
            (order.key, stop.key): stop for order in material.orders for stop in order.stops
        }
        self._shifts = {shift.key: shift for shift in material.shifts}
        self._capacities = {shift.key: shift.capacity for shift in material.problem.shifts}

    def to_routes(self, plan: Plan) -> list[PlanRouteOut]:
        """Render the routes of a plan in the order of its shifts."""
        numbers = {shift.key: number for number, shift in enumerate(self.material.shifts)}
        routes = sorted(plan.routes, key=lambda route: numbers[route.shift])
        return [self.to_route(route) for route in routes]

    def to_idle_drivers(self, plan: Plan) -> list[IdleDriverOut]:
        """Render the shifts without work."""
        used_shifts = {route.shift for route in plan.routes}
        return [
            IdleDriverOut(
                driver=self.to_driver(shift.driver),
                vehicle=self._to_vehicle(shift),
                shift_start=self._format_time(shift.opens),
                shift_end=self._format_time(shift.closes),
            )
            for shift in self.material.shifts
            if shift.key not in used_shifts
        ]

    def to_moves(self, plan: Plan) -> list[PlanMoveOut]:
        """Render the orders that get another driver on acceptance."""
        drivers = {
            job: self._shifts[route.shift].driver for route in plan.routes for job in route.jobs
        }
        return [
            PlanMoveOut(
                order=order.key,
                internal_id=self._rows[order.uuid].internal_id,
                number=self._numbers[order.uuid],
                from_=None if order.driver is None else self.to_driver(order.driver),
                to=self.to_driver(drivers[order.key]),
            )
            for order in self.material.orders
            if order.key in drivers and order.driver != drivers[order.key]
        ]

    def to_driver(self, driver: UUID) -> PlanDriverOut:
        """Render a driver."""
        row = self._drivers[driver]
        return PlanDriverOut(row.public_id, row.name)

    def to_route(self, route: PlannedRoute) -> PlanRouteOut:
        """Render a route."""
        shift = self._shifts[route.shift]
        lateness = self._promises.list_lateness(route)
        return PlanRouteOut(
            driver=self.to_driver(shift.driver),
            vehicle=self._to_vehicle(shift),
            shift_start=self._format_time(shift.opens),
            shift_end=self._format_time(shift.closes),
            starts_at=self._format_time(route.start),
            ends_at=self._format_time(route.end),
            start=_to_point(shift.start),
            end=_to_point(shift.end),
            from_position=shift.is_from_position,
            distance=route.distance,
            drive_time=route.drive,
            time=route.duration,
            cost=route.cost,
            late_stops=len(lateness),
            lateness=sum(lateness),
            overtime=max(0, route.end - shift.closes),
            overloaded=self.is_overloaded(route),
            stops=[self._to_stop(stop) for stop in route.stops],
            breaks=[
                PlanBreakOut(
                    before=pause.before,
                    starts_at=self._format_time(pause.begin),
                    begins_at=self._format_time(pause.begin),
                    ends_at=self._format_time(pause.end),
                )
                for pause in route.breaks
            ],
        )

    def is_overloaded(self, route: PlannedRoute) -> bool:
        """Return whether the load ever exceeds the vehicle's capacity."""
        capacity = self._capacities[route.shift]
        return any(
            limit is not None and load > limit
            for loads in self._list_loads(route)
            for load, limit in zip(loads, capacity, strict=True)
        )

    def _list_loads(self, route: PlannedRoute) -> list[Loads]:
        """List the loads at the start and after each stop."""
        stops = route.stops
        if not stops:
            return []
        first = stops[0]
        order = self._orders[first.job]
        job = next(job for job in self.material.problem.jobs if job.key == order.key)
        visit = next(visit for visit in job.visits if visit.key == first.visit)
        sign = -1 if visit.kind == "pickup" else 1
        weight, volume, items = (
            load + sign * change for load, change in zip(first.loads, visit.loads, strict=True)
        )
        return [(weight, volume, items), *(stop.loads for stop in stops)]

    def _to_vehicle(self, shift: ShiftMaterial) -> PlanVehicleOut | None:
        if shift.vehicle is None:
            return None
        row = self._vehicles[shift.vehicle]
        return PlanVehicleOut(row.public_id, row.plate_number)

    def _format_time(self, seconds: int) -> str:
        return to_rfc3339(self.material.to_moment(seconds))

    def _to_stop(self, stop: PlannedStop) -> PlanStopOut:
        order, material = self._orders[stop.job], self._stops[stop.job, stop.visit]
        weight, volume, items = stop.loads
        row = self._places[material.place]
        return PlanStopOut(
            order=order.key,
            internal_id=self._rows[order.uuid].internal_id,
            number=self._numbers[order.uuid],
            waypoint=material.waypoint_id,
            type=stop.kind,
            place=PlanPlaceOut(
                id=row.public_id,
                name=row.name,
                address=row.address,
                location=PointOut.from_point(row.location),
            ),
            arrives_at=self._format_time(stop.arrival),
            starts_at=self._format_time(stop.begin),
            begins_at=self._format_time(stop.begin),
            leaves_at=self._format_time(stop.end),
            time_window_start=None if material.opens is None else self._format_time(material.opens),
            time_window_end=None
            if material.promised is None
            else self._format_time(material.promised),
            late=self._promises.compute_lateness(stop),
            drive_time=stop.drive,
            distance=stop.distance,
            load=PlanLoadOut(weight=weight / GRAMS, volume=volume / CUBIC_CENTIMETRES, items=items),
            fixed=order.is_fixed,
            started=order.is_started,
        )

    def to_unassigned(self, left_out: Sequence[LeftOut]) -> list[UnassignedOut]:
        """Render the orders without a driver."""
        reasons: list[tuple[UUID, str, UnassignedReason]] = []
        for left_out_job in left_out:
            order = self._orders[left_out_job.job]
            is_fixed_misfit = order.is_fixed and left_out_job.reason == "skill"
            reason: UnassignedReason = "fixed_driver" if is_fixed_misfit else left_out_job.reason
            reasons.append((order.uuid, order.key, reason))
        reasons += [(order.uuid, order.key, order.reason) for order in self.material.outside]
        return [
            UnassignedOut(
                order=key,
                internal_id=self._rows[uuid].internal_id,
                number=self._numbers[uuid],
                reason=reason,
                message=REASON_MESSAGES[reason],
            )
            for uuid, key, reason in reasons
        ]


def _to_point(pair: tuple[float, float] | None) -> PointOut | None:
    return None if pair is None else PointOut.from_point(Point(*pair))


async def load_names(db: Db, company: UUID, material: PlanMaterial) -> PlanNames:
    """Load the records that a plan refers to, including deleted ones."""
    orders, shifts = material.orders, material.shifts
    drivers = {shift.driver for shift in shifts}
    drivers |= {order.driver for order in orders if order.driver is not None}
    order_uuids = [*(order.uuid for order in orders), *(order.uuid for order in material.outside)]
    return PlanNames(
        material,
        await ORDERS.load_many(db, company, order_uuids),
        await numbering.load_numbers(db, company, order_uuids),
        await DRIVERS.load_many(db, company, list(drivers)),
        await VEHICLES.load_many(
            db, company, [shift.vehicle for shift in shifts if shift.vehicle is not None]
        ),
        await places.load_many(
            db, company, list({stop.place for order in orders for stop in order.stops})
        ),
    )
