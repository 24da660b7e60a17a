"""Why a plan leaves out a job."""

from itertools import pairwise

from pannier.planning.insertion import Positions
from pannier.planning.model import NO_ROAD
from pannier.planning.plan import LeftOut, Reason
from pannier.planning.problem import PlanJob, PlanShift
from pannier.planning.routes import DraftRoute
from pannier.planning.search import DraftPlan, Search


def explain(search: Search, draft: DraftPlan) -> tuple[LeftOut, ...]:
    """Return the jobs that are left out, each with a reason."""
    empty = list(search.make_empty().routes)
    return tuple(
        LeftOut(search.model.problem.jobs[job].key, _choose_reason(search, empty, job))
        for job in draft.left_out
    )


def _choose_reason(search: Search, empty: list[DraftRoute], number: int) -> Reason:
    """Return the first reason that holds for all shifts."""
    model = search.model
    job = model.problem.jobs[number]
    able = [shift for at, shift in enumerate(model.problem.shifts) if model.allowed[number, at]]
    if not able:
        return "skill"
    if not any(_has_room(shift, job) for shift in able):
        return "too_large"
    if not any(_has_road(search, shift, job) for shift in able):
        return "no_road"
    if any(row[leg].is_broken for row in model.leg_segments for leg in model.job_legs[number]):
        return "window"
    # Whether it would fit if there were nothing else to do.
    if Positions(model, search.objective, empty).find_best_of_each(number):
        return "capacity"
    begins = min(visit.opens for visit in job.visits), max(visit.opens for visit in job.visits)
    ends = min(visit.closes for visit in job.visits)
    if not any(shift.opens <= ends and begins[1] <= shift.closes for shift in able):
        return "outside_shifts"
    return "window"


def _has_room(shift: PlanShift, job: PlanJob) -> bool:
    """Return whether the vehicle could carry nothing but this job."""
    for dimension, capacity in enumerate(shift.capacity):
        load = lowest = highest = 0
        for visit in job.visits:
            amount = visit.loads[dimension]
            load += amount if visit.kind == "pickup" else -amount
            lowest, highest = min(lowest, load), max(highest, load)
        if capacity is not None and highest - lowest > capacity:
            return False
    return True


def _has_road(search: Search, shift: PlanShift, job: PlanJob) -> bool:
    """Return whether roads lead from the start to all visits and to the end."""
    model = search.model
    profile = model.profiles.index(shift.profile)
    at = model.problem.shifts.index(shift)
    nodes = [
        model.starts[at],
        *(model.place_of(visit) for visit in job.visits),
        model.ends[at],
    ]
    return all(model.times[profile][way] < NO_ROAD for way in pairwise(nodes))
