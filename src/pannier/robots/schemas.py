"""JSON schemas of simulations."""

from datetime import timedelta
from typing import Annotated, Literal, Self

import msgspec
from msgspec import Meta

from pannier.fleet.schemas import DriverId
from pannier.orders.activities import PodMethod
from pannier.orders.attempts.schemas import ReasonCode
from pannier.orders.fields import WaypointId
from pannier.robots.models import Simulation, SimulationOutcome, SimulationState
from pannier.web.identifiers import OrderId
from pannier.web.times import Time, to_rfc3339

MAX_SPEED = 1000
Speed = Annotated[
    Annotated[float, Meta(ge=1, le=MAX_SPEED)] | Literal["instant"],
    Meta(
        description="How much faster than a real driver, from 1 to 1000, or `instant`.",
        examples=[60],
    ),
]
Outcome = Annotated[
    SimulationOutcome,
    Meta(
        description="`delivered`, or `failed` for a failed attempt at the last stop.",
        examples=["delivered"],
    ),
]


class SimulateIn(msgspec.Struct, kw_only=True):
    """A simulation of a driver."""

    speed: Speed = 60
    outcome: Outcome = "delivered"
    reason: Annotated[
        ReasonCode | None,
        Meta(
            description="With `outcome: failed`, a reason of the order configuration. "
            "Defaults to its first.",
            examples=[None],
        ),
    ] = None


class SimulationStepOut(msgspec.Struct, kw_only=True):
    """A step of a simulation."""

    activity: Annotated[str, Meta(examples=["enroute"])]
    waypoint: Annotated[WaypointId | None, Meta(description="The stop, if there are several.")]
    method: Annotated[
        PodMethod | None, Meta(description="The proof that the robot captures.", examples=["photo"])
    ]
    reason: Annotated[
        ReasonCode | None,
        Meta(description="The reason of a failed attempt, which replaces the activity."),
    ]
    at: Annotated[Time, Meta(description="The planned time. A step may be a little later.")]
    done: bool


class SimulationOut(msgspec.Struct, kw_only=True):
    """A simulation, with its plan."""

    order: OrderId
    driver: Annotated[DriverId, Meta(description="The robot that works on the order.")]
    state: Annotated[
        SimulationState,
        Meta(
            description="`stopped`: the order was canceled, changed or assigned to another driver, "
            "or the simulation was stopped. `failed`: a step was refused; see `reason`.",
            examples=["running"],
        ),
    ]
    reason: Annotated[str | None, Meta(description="Why it ended early.", examples=[None])]
    speed: Speed
    outcome: Outcome
    created_at: Time
    finished_at: Annotated[Time | None, Meta(examples=[None])]
    steps: list[SimulationStepOut]

    @classmethod
    def from_row(cls, row: Simulation, *, order: str, driver: str) -> Self:
        return cls(
            order=order,
            driver=driver,
            state=row.state,
            reason=row.reason,
            speed="instant" if row.speed is None else row.speed,
            outcome=row.outcome,
            created_at=to_rfc3339(row.created_at),
            finished_at=to_rfc3339(row.finished_at),
            steps=_list_steps(row),
        )


def _list_steps(row: Simulation) -> list[SimulationStepOut]:
    """Return the steps with their times, counted from the step that is next."""
    started_seconds = sum(step.seconds for step in row.steps[: row.position])
    total_seconds, outs = 0.0, []
    for index, step in enumerate(row.steps):
        total_seconds += step.seconds
        elapsed = 0.0 if row.speed is None else (total_seconds - started_seconds) / row.speed
        outs.append(
            SimulationStepOut(
                activity=step.activity,
                waypoint=step.waypoint,
                method=step.method,
                reason=step.reason,
                at=to_rfc3339(row.step_started_at + timedelta(seconds=elapsed)),
                done=index < row.position,
            )
        )
    return outs
