"""Plans that are edited by hand still add up, whether or not drivers come in time."""

import contextlib
import sys
from types import FrameType
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pannier.planning import editing, ranking, solver
from pannier.planning.checks import list_faults
from pannier.planning.editing import JobMove
from pannier.planning.plan import Plan, PlannedRoute, PlannedStop
from pannier.planning.problem import PlanningProblem, PresentRoute, Roads
from pannier.planning.routes import DraftRoute
from planning.cases import deliveries, problems, steps

# What a dispatcher may do although the planner would not.
PERMITTED = (
    "outside its window", "fixed to another shift", "needs other skills", "work outside the shift",
    "exceeds the capacity", "a break is missing", "a break is not due",
)  # fmt: skip


@st.composite
def edits(draw: st.DrawFn) -> tuple[PlanningProblem, list[JobMove]]:
    """Draw a problem with jobs and shifts, and some moves."""
    problem = draw(problems().filter(lambda each: bool(each.jobs)))
    jobs = st.sampled_from([job.key for job in problem.jobs])
    shifts = st.sampled_from([(), *((shift.key,) for shift in problem.shifts)])
    position = st.none() | st.integers(0, 12)
    return problem, draw(st.lists(st.builds(JobMove, jobs, shifts, position), max_size=4))


def part(roads: Roads, points: tuple[int, ...]) -> Roads:
    def cut(table: Any) -> Any:
        return tuple(tuple(table[row][column] for column in points) for row in points)

    return Roads(cut(roads.distances), cut(roads.times))


@given(edit=edits())
def test_an_edited_plan_has_every_job_once_and_its_times_add_up(
    edit: tuple[PlanningProblem, list[JobMove]],
) -> None:
    problem, moves = edit
    plan = solver.solve(problem, steps(1))
    partial = editing.extract_routes(problem, plan, moves)
    roads = {profile: part(each, partial.points) for profile, each in problem.roads.items()}
    edited = None
    with contextlib.suppress(editing.NoRoadLeads):
        edited = editing.apply_moves(problem, partial.add_roads(roads), plan, moves)
    assume(edited is not None)
    assert edited is not None
    faults = list_faults(problem, edited)
    assert [fault for fault in faults if not fault.endswith(PERMITTED)] == []
    last = {move.job: move for move in moves}
    shifts = {job: route.shift for route in edited.routes for job in route.jobs}
    for job, move in last.items():
        assert shifts.get(job) == (move.shifts[0] if move.shifts else None)
    untouched = {route.shift for route in plan.routes} - {
        shift.key for shift in partial.problem.shifts
    }
    before = {route.shift: route for route in plan.routes}
    assert {shift: before[shift] for shift in untouched} == {
        route.shift: route for route in edited.routes if route.shift in untouched
    }


def test_a_move_builds_few_routes_however_long_the_new_one_is() -> None:
    problem, empty = deliveries(20, 1), Plan(routes=())
    [shift] = problem.shifts
    built = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal built
        built += event == "call" and frame.f_code is DraftRoute.__init__.__code__

    moves = [JobMove(job.key, (shift.key,), 0) for job in problem.jobs]
    sys.setprofile(count)
    try:
        plan = editing.apply_moves(problem, problem, empty, moves)
    finally:
        sys.setprofile(None)
    assert len(plan.routes[0].stops) == 2 * len(moves)
    # The route before, a few that are tried, and the same again with a break.
    assert built <= 20 * len(moves)


def test_a_route_grows_no_longer_than_can_be_edited() -> None:
    problem = deliveries(editing.MAX_ROUTE_STOPS // 2 + 1, 1)
    [shift], jobs = problem.shifts, problem.jobs
    stops = tuple(
        PlannedStop(job=job.key, visit=visit.key, kind=visit.kind, point=visit.point, arrival=0,
                    begin=0, end=0, drive=0, distance=0, loads=visit.loads)
        for job in jobs[1:] for visit in job.visits
    )  # fmt: skip
    route = PlannedRoute(shift=shift.key, start=0, end=0, stops=stops, drive=0, distance=0, cost=0)
    moves = [JobMove(jobs[0].key, (shift.key,))]
    with pytest.raises(editing.RouteTooLong):
        editing.apply_moves(problem, problem, Plan(routes=(route,)), moves)


def test_drivers_with_too_many_stops_are_not_compared() -> None:
    problem = deliveries(ranking.MAX_VISITS // 2 + 1, 2)
    first, second = problem.shifts
    jobs = [job.key for job in problem.jobs]
    present = (PresentRoute(shift=first.key, jobs=tuple(jobs[1:])),)
    split = ranking.split_by_shift(msgspec.structs.replace(problem, present=present), jobs[0])
    assert [each.shift for each in split] == [second.key]
