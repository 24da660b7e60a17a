"""Start and stop simulations."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec

from pannier.accounts import modes
from pannier.accounts import queries as accounts
from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import Pace
from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid, NotFound
from pannier.fleet import presence
from pannier.fleet.drivers import service as drivers
from pannier.fleet.drivers.schemas import DriverIn
from pannier.fleet.eligibility import can_work
from pannier.fleet.models import Driver
from pannier.fleet.queries import DRIVERS
from pannier.kit.geo import Point
from pannier.orders import assignment, flow, gate
from pannier.orders.configs import service as configs
from pannier.orders.progress import load_progress
from pannier.orders.queries import ORDERS
from pannier.orders.reasons import FailureReason
from pannier.orders.views import OrderAggregate
from pannier.robots import queries, sms_codes, steps
from pannier.robots.models import RobotStep, Simulation, SimulationState
from pannier.robots.queries import MAX_ROBOTS, PHONES
from pannier.robots.queue import CHANNEL
from pannier.robots.schemas import SimulateIn, SimulationOut
from pannier.robots.steps import DraftStep
from pannier.routing.route import Route
from pannier.web.versions import IfMatch

STOPPED: Final = "The simulation was stopped."
NO_ROBOT: Final = (
    f"All drivers with numbers from {PHONES[0]} to {PHONES[-1]} are people or suspended."
)


class SimulationRunning(Conflict):
    """An order has one simulation at a time."""

    code = "simulation_running"
    title = "A simulation of this order is running."
    remedy = "Wait for its end, or stop it with DELETE."


class TooManySimulations(Conflict):
    """The number of running simulations per company is limited."""

    code = "too_many_simulations"
    title = f"At most {MAX_ROBOTS} simulations can run at once."
    remedy = "Wait for the end of one, or stop one."


class SimulationDraft(msgspec.Struct):
    """The steps of a simulation without times, and the points of its drives."""

    order: UUID
    version: int
    steps: list[RobotStep]
    points: list[Point | None]
    pace: Pace


async def draft(db: Db, order: OrderAggregate, data: SimulateIn) -> SimulationDraft:
    """Draft a simulation of an open order of a test company."""
    company = order.row.company
    await modes.require_test_company(db, company)
    progress = await load_progress(db, order)
    drafts = steps.draft_steps(progress, data.outcome)
    if not drafts:
        raise flow.IllegalMove(f"A {progress.status} order cannot be simulated.", ())
    settings = await company_settings.load(db, company)
    await _check_recipients(db, order, drafts)
    reason = await _choose_reason(db, order, data)
    robot_steps = [steps.to_step(order, each, reason) for each in drafts]
    places = [robot_steps[index].place for index in steps.list_destinations(robot_steps)]
    points = [order.related.places[place].location for place in places if place is not None]
    return SimulationDraft(
        order.row.uuid,
        order.row.version,
        robot_steps,
        [steps.make_origin(points[0]), *points] if points else [],
        settings.routing,
    )


async def _choose_reason(db: Db, order: OrderAggregate, data: SimulateIn) -> FailureReason | None:
    """Choose the reason of a failed attempt: the one sent, or the first."""
    if data.outcome == "delivered":
        if data.reason is not None:
            raise Invalid(fields=[FieldError("reason", "Send it with `outcome: failed` only.")])
        return None
    reasons = {reason.code: reason for reason in await configs.load_reasons(db, order.row)}
    code = data.reason or next(iter(reasons))
    if code not in reasons:
        raise Invalid(fields=[FieldError("reason", f"must be one of: {', '.join(reasons)}.")])
    return reasons[code]


async def _check_recipients(db: Db, order: OrderAggregate, drafts: Sequence[DraftStep]) -> None:
    """Refuse a simulation that needs an SMS code of a number that is not for tests."""
    payload, subject_ids = order.payload_aggregate, set[str]()
    for each in drafts:
        stop = None if each.stop is None else payload.waypoints[each.stop]
        if each.activity.pod_method == "sms" and not each.is_failure:
            subject_ids |= {
                requirement.subject_id
                for requirement in gate.list_required_proofs(
                    each.activity, order.row, stop, payload.entities
                )
            }
    await sms_codes.check_recipients(db, order, sorted(subject_ids))


async def start(
    db: Db,
    company: UUID,
    simulation_draft: SimulationDraft,
    route: Route | None,
    data: SimulateIn,
    match: IfMatch,
) -> Simulation:
    """Assign a robot to an order and let it begin."""
    # One start at a time, so that two cannot take the same robot.
    await accounts.lock_company(db, company)
    order = await OrderAggregate.load(db, await ORDERS.lock(db, company, simulation_draft.order))
    match(order.row.version)
    if order.row.version != simulation_draft.version:
        # The order changed while its route was measured.
        measured_points = simulation_draft.points
        simulation_draft = await draft(db, order, data)
        route = route if simulation_draft.points == measured_points else None
    previous = await queries.find_simulation(db, company, order.row.uuid)
    if previous is not None and previous.state == "running":
        raise SimulationRunning
    robot = await _take_robot(db, company)
    await assignment.assign(db, order, robot.public_id)
    origin = simulation_draft.points[0] if simulation_draft.points else None
    row = Simulation(
        uuid=db.new_uuid(),
        company=company,
        created_at=db.now,
        order_uuid=order.row.uuid,
        driver=robot.uuid,
        speed=None if isinstance(data.speed, str) else float(data.speed),
        outcome=data.outcome,
        steps=steps.add_times(simulation_draft.steps, route),
        position=0,
        latitude=None if origin is None else origin.latitude,
        longitude=None if origin is None else origin.longitude,
        step_started_at=db.now,
        state="running",
        due_at=db.now,
    )
    if previous is not None:
        await db.execute(
            "delete from simulations where company = :company and uuid = :uuid",
            company=company,
            uuid=previous.uuid,
        )
    await db.insert("simulations", row)
    db.notify(CHANNEL)
    return row


async def _take_robot(db: Db, company: UUID) -> Driver:
    """Return a robot without work, online. Create one if all are busy."""
    candidates = await queries.list_drivers_with_test_numbers(db, company)
    busy = await queries.list_busy_drivers(db, company)
    if len(busy) >= MAX_ROBOTS:
        raise TooManySimulations
    free = next((each for each in candidates if _is_robot(each) and each.uuid not in busy), None)
    if free is not None:
        return await presence.set_online(
            db, await DRIVERS.lock(db, company, free.uuid), online=True
        )
    used_phones = {driver.phone for driver in candidates}
    number = next((index for index, phone in enumerate(PHONES) if phone not in used_phones), None)
    if number is None:
        raise TooManySimulations(NO_ROBOT)
    name = f"robot-{number + 1}"
    driver = DriverIn(
        name=f"Robot {number + 1}",
        phone=PHONES[number],
        internal_id=name,
        meta={"robot": True},
        online=True,
    )
    return await drivers.create(db, company, driver)


def _is_robot(driver: Driver) -> bool:
    """Tell whether a driver is a robot that may work, rather than a tester with such a number."""
    return driver.meta.get("robot") is True and can_work(driver.status)


async def stop(db: Db, order: OrderAggregate) -> Simulation:
    """Stop the simulation of a locked order. The order keeps its state and its driver."""
    row = await get_simulation(db, order)
    if row.state != "running":
        return row
    return await end(db, row, "stopped", STOPPED)


async def get_simulation(db: Db, order: OrderAggregate) -> Simulation:
    """Return the latest simulation of an order, or raise NotFound."""
    row = await queries.find_simulation(db, order.row.company, order.row.uuid)
    if row is None:
        raise NotFound
    return row


async def end(
    db: Db, row: Simulation, state: SimulationState, reason: str | None = None
) -> Simulation:
    """End a simulation, and let its robot go offline. The caller has locked the order."""
    row = msgspec.structs.replace(row, state=state, reason=reason, due_at=None, finished_at=db.now)
    await db.update(
        "simulations",
        row.uuid,
        state=row.state,
        reason=row.reason,
        due_at=None,
        finished_at=row.finished_at,
        position=row.position,
    )
    robot = await DRIVERS.find(db, row.company, row.driver)
    if robot is not None and robot.online:
        await presence.set_online(db, await DRIVERS.lock(db, row.company, row.driver), online=False)
    return row


async def to_out(db: Db, order: OrderAggregate, row: Simulation) -> SimulationOut:
    """Return a simulation with the public ids of its order and robot."""
    robots = await DRIVERS.load_many(db, row.company, [row.driver])
    return SimulationOut.from_row(
        row, order=order.row.public_id, driver=robots[row.driver].public_id
    )
