"""What holds of every plan, checked by rules that share no code with the search."""

from random import Random

import msgspec
import pytest
from hypothesis import given

from pannier.planning import solver
from pannier.planning.checks import list_faults
from pannier.planning.insertion import Positions
from pannier.planning.model import Model
from pannier.planning.plan import Plan
from pannier.planning.problem import PlanJob, PlanningProblem, PlanShift, PresentRoute, Roads, Visit
from pannier.planning.search import Search
from planning.cases import DAY, HOUR, deliveries, problems, steps, town


def plan_of(problem: PlanningProblem, count: int = 60) -> Plan:
    return solver.solve(problem, steps(count))


@given(problem=problems())
def test_every_plan_keeps_every_rule(problem: PlanningProblem) -> None:
    assert list_faults(problem, plan_of(problem, 20)) == []


@given(problem=problems())
def test_a_plan_is_never_worse_than_the_present_assignment(problem: PlanningProblem) -> None:
    run = solver.Solver(problem, steps(20), seed=1)
    search = Search(Model(problem), Random(1))
    present = search.build_draft(search.list_present_legs())
    assert list_faults(problem, run.to_plan(present)) == []
    assert run.solve().cost <= present.cost + 1e-3


@given(problem=problems())
def test_an_insertion_costs_what_it_was_priced_at(problem: PlanningProblem) -> None:
    problem = msgspec.structs.replace(
        problem,
        shifts=tuple(msgspec.structs.replace(shift, breaks=()) for shift in problem.shifts),
    )
    search = Search(Model(problem), Random(1))
    draft = search.insert_left_out(search.build_draft(search.list_present_legs()))
    for job in draft.left_out:
        assert not Positions(search.model, search.objective, draft.routes).find_best_of_each(job)
    empty = search.make_empty_draft()
    for job in range(len(problem.jobs)):
        positions = Positions(
            search.model, search.objective, draft.routes if job in draft.left_out else empty.routes
        )
        candidates = positions.find_candidates(job)
        if len(candidates.costs):
            found = positions.find_best(job, candidates)
            assert found is not None
            assert found.cost == pytest.approx(min(candidates.costs))


def test_the_same_seed_gives_the_same_plan() -> None:
    problem = deliveries(20, 3)
    assert plan_of(problem) == plan_of(problem)


@pytest.mark.slow
def test_deliveries_from_a_hub_are_loaded_first_and_reach_everybody_in_time() -> None:
    problem = deliveries(20, 5)
    plan = plan_of(problem)
    assert list_faults(problem, plan) == []
    assert plan.left_out == ()
    assert all(route.stops[0].kind == "pickup" for route in plan.routes)


@pytest.mark.slow
def test_a_driver_who_works_through_noon_has_a_break() -> None:
    [route] = plan_of(deliveries(8, 1)).routes
    assert route.start < 12 * HOUR
    assert route.end > 14 * HOUR
    [pause] = route.breaks
    assert 12 * HOUR <= pause.begin <= 14 * HOUR
    assert pause.end - pause.begin == 1800


@pytest.mark.slow
def test_the_fewest_vehicles_are_fewer_than_with_the_least_time() -> None:
    problem = deliveries(15, 5)
    few = plan_of(msgspec.structs.replace(problem, aim="vehicles"), 80)
    quick = plan_of(msgspec.structs.replace(problem, aim="time"), 80)
    assert len(few.routes) <= len(quick.routes)
    assert few.left_out == quick.left_out == ()


@pytest.mark.slow
def test_balanced_routes_differ_less_in_length() -> None:
    problem = deliveries(16, 4)

    def spread(aim: str) -> int:
        plan = plan_of(msgspec.structs.replace(problem, aim=aim), 80)
        durations = [route.duration for route in plan.routes] + [0] * (4 - len(plan.routes))
        return max(durations) - min(durations)

    assert spread("balance") <= spread("vehicles")


POINTS = [(0, 0), (4_000, 0), (8_000, 0)]


def one_job(**given: object) -> PlanJob:
    visit = Visit(key="visit", point=1, loads=(50, 0, 1))
    return PlanJob(key="job", visits=(msgspec.structs.replace(visit, **given),))


SHIFT = PlanShift(key="shift", opens=8 * HOUR, closes=16 * HOUR, start=0, end=0)
ISLAND = Roads(((0, None), (None, 0)), ((0, None), (None, 0)))


@pytest.mark.parametrize(
    ("reason", "job", "shift", "roads"),
    [
        ("skill", msgspec.structs.replace(one_job(), skills=frozenset({"cold"})), SHIFT, None),
        ("skill", msgspec.structs.replace(one_job(), shift="other"), SHIFT, None),
        (
            "too_large",
            one_job(),
            msgspec.structs.replace(SHIFT, capacity=(40, None, None)),
            None,
        ),
        ("no_road", one_job(), SHIFT, ISLAND),
        ("outside_shifts", one_job(opens=17 * HOUR, closes=18 * HOUR), SHIFT, None),
        ("outside_shifts", one_job(opens=0, closes=7 * HOUR), SHIFT, None),
        ("window", one_job(opens=8 * HOUR, closes=8 * HOUR + 60), SHIFT, None),
    ],
)
def test_a_job_that_is_impossible_is_left_out_with_its_reason(
    reason: str, job: PlanJob, shift: PlanShift, roads: Roads | None
) -> None:
    problem = PlanningProblem(jobs=(job,), shifts=(shift,), roads={"car": roads or town(POINTS)})
    [left_out] = plan_of(problem).left_out
    assert left_out.reason == reason


def test_what_fits_no_more_is_left_out_for_lack_of_capacity_or_time() -> None:
    jobs = tuple(
        msgspec.structs.replace(
            one_job(service=3 * HOUR),
            key=f"job{number}",
            visits=(Visit(key=f"visit{number}", point=1, service=3 * HOUR),),
        )
        for number in range(4)
    )
    plan = plan_of(PlanningProblem(jobs=jobs, shifts=(SHIFT,), roads={"car": town(POINTS)}))
    assert [each.reason for each in plan.left_out] == ["capacity", "capacity"]


def test_a_job_of_higher_priority_is_left_out_last() -> None:
    visit = Visit(key="visit", point=1, service=5 * HOUR)
    jobs = tuple(
        PlanJob(key=f"job{number}", visits=(visit,), priority=int(number == 3))
        for number in range(4)
    )
    plan = plan_of(PlanningProblem(jobs=jobs, shifts=(SHIFT,), roads={"car": town(POINTS)}))
    assert plan.routes[0].jobs == ("job3",)


def test_without_shifts_or_jobs_there_is_a_plan_too() -> None:
    roads = {"car": town(POINTS)}
    nobody = plan_of(PlanningProblem(jobs=(one_job(),), shifts=(), roads=roads))
    assert [each.reason for each in nobody.left_out] == ["skill"]
    nothing = plan_of(PlanningProblem(jobs=(), shifts=(SHIFT,), roads=roads))
    assert nothing == Plan(routes=())


@pytest.mark.slow
def test_a_job_fixed_to_a_driver_stays_there_even_among_fifty() -> None:
    problem = deliveries(40, 40)
    jobs = tuple(
        msgspec.structs.replace(job, shift=f"s{number}") for number, job in enumerate(problem.jobs)
    )
    problem = msgspec.structs.replace(problem, jobs=jobs)
    plan = plan_of(problem, 30)
    assert list_faults(problem, plan) == []
    assert {route.shift: route.jobs for route in plan.routes} == {
        f"s{number}": (job.key,) for number, job in enumerate(jobs)
    }


@pytest.mark.slow
def test_a_good_present_assignment_is_found_again() -> None:
    problem = deliveries(12, 2)
    good = plan_of(problem, 100)
    present = tuple(PresentRoute(shift=route.shift, jobs=route.jobs) for route in good.routes)
    again = plan_of(msgspec.structs.replace(problem, present=present), 5)
    assert again.left_out == good.left_out
    assert again.duration < DAY
