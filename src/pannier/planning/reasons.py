"""Finding the reasons why a plan leaves out jobs."""

from itertools import pairwise

from pannier.planning.insertion import Positions
from pannier.planning.model import NO_ROAD
from pannier.planning.plan import LeftOut, Reason
from pannier.planning.problem import PlanJob, PlanShift
from pannier.planning.routes import DraftRoute
from pannier.planning.search import DraftPlan, Search


def explain_left_out(search: Search, draft: DraftPlan) -> tuple[LeftOut, ...]:
    """Return the left-out jobs of a draft, each with a reason."""
    empty_routes = list(search.make_empty_draft().routes)
    return tuple(
        LeftOut(search.model.problem.jobs[job].key, _choose_reason(search, empty_routes, job))
        for job in draft.left_out
    )


def _choose_reason(search: Search, empty_routes: list[DraftRoute], number: int) -> Reason:
    """Choose the first reason that applies to all shifts."""
    model = search.model
    job = model.problem.jobs[number]
    shifts = [
        shift
        for index, shift in enumerate(model.problem.shifts)
        if model.allowed_shifts[number, index]
    ]
    if not shifts:
        return "skill"
    if not any(_has_room(shift, job) for shift in shifts):
        return "too_large"
    if not any(_has_road(search, shift, job) for shift in shifts):
        return "no_road"
    if any(row[leg].is_broken for row in model.leg_segments for leg in model.job_legs[number]):
        return "window"
    # If the job fits into an empty route, other jobs displace it.
    if Positions(model, search.objective, empty_routes).find_best_of_each(number):
        return "capacity"
    opens = max(visit.opens for visit in job.visits)
    closes = min(visit.closes for visit in job.visits)
    if not any(shift.opens <= closes and opens <= shift.closes for shift in shifts):
        return "outside_shifts"
    return "window"


def _has_room(shift: PlanShift, job: PlanJob) -> bool:
    """Return whether the empty vehicle could carry a job."""
    for dimension, capacity in enumerate(shift.capacity):
        load = lowest_load = highest_load = 0
        for visit in job.visits:
            amount = visit.loads[dimension]
            load += amount if visit.kind == "pickup" else -amount
            lowest_load, highest_load = min(lowest_load, load), max(highest_load, load)
        if capacity is not None and highest_load - lowest_load > capacity:
            return False
    return True


def _has_road(search: Search, shift: PlanShift, job: PlanJob) -> bool:
    """Return whether roads lead from the shift's start through all visits to its end."""
    model = search.model
    profile = model.profiles.index(shift.profile)
    number = model.problem.shifts.index(shift)
    nodes = [
        model.starts[number],
        *(model.find_place(visit) for visit in job.visits),
        model.ends[number],
    ]
    return all(model.times[profile][edge] < NO_ROAD for edge in pairwise(nodes))
