"""Making a plan: read the orders, measure the roads, run the planner process, check its plan."""

import asyncio
from collections.abc import Sequence
from typing import Final

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.company_settings.models import Pace
from pannier.db import Database
from pannier.errors import Invalid, NotFound
from pannier.kit.geo import Point
from pannier.maps.folder import Profile
from pannier.planning import building, checks, queries, reading, selection
from pannier.planning.building import ProblemDraft
from pannier.planning.material import PlanMaterial, PlanResult
from pannier.planning.models import FailureCode, PlanFailure, PlanRow, PlanRun
from pannier.planning.planner_process import PlannerFailed, solve_in_process
from pannier.planning.problem import PlanningProblem, Roads
from pannier.planning.program import PlannerReport
from pannier.planning.queries import PLANS
from pannier.planning.schemas import PlanIn
from pannier.planning.selection import TooManyOrders
from pannier.routing.route import Source
from pannier.routing.router import MAX_MATRIX_POINTS, Router
from pannier.web import times
from pannier.web.logs import log

# The progress when the roads are measured, and when the search ends.
SEARCH_START_PERCENT: Final = 5
SEARCH_END_PERCENT: Final = 99


class PlanFailed(Exception):  # noqa: N818 - one of several outcomes
    """The plan could not be made."""

    def __init__(self, code: FailureCode, message: str) -> None:
        super().__init__(message)
        self.failure = PlanFailure(code, message)


class CompletePlan(msgspec.Struct):
    """A plan with all data that is stored with it."""

    material: PlanMaterial
    roads: dict[Profile, Roads]
    result: PlanResult


class _PlanInputs(msgspec.Struct):
    """A plan's row, its problem without roads, and the company's pace."""

    row: PlanRow
    draft: ProblemDraft
    pace: Pace


class PlanMaker:
    """Makes one plan. `percent` is the progress."""

    def __init__(self, database: Database, router: Router, *, memory_mebibytes: int) -> None:
        self._database, self._router, self._memory = database, router, memory_mebibytes
        self.percent = 0

    async def make(self, run: PlanRun) -> CompletePlan:
        """Make a plan, or raise PlanFailed."""
        inputs = await self._read_inputs(run)
        draft = inputs.draft
        if not draft.material.problem.shifts:
            raise PlanFailed("no_shifts", "No driver works on this day anymore.")
        roads, source = await self._measure_roads(draft, inputs.pace)
        self.percent = SEARCH_START_PERCENT
        problem = msgspec.structs.replace(draft.material.problem, roads=roads)
        result = await self._solve_problem(run, problem, inputs.row.max_seconds)
        return CompletePlan(msgspec.structs.replace(draft.material, source=source), roads, result)

    async def _read_inputs(self, run: PlanRun) -> _PlanInputs:
        async with self._database.reading() as db:
            row = await PLANS.get(db, run.company, run.plan)
            contents = await queries.load_contents(db, run.company, run.plan)
            request = msgspec.convert(contents.request, PlanIn, dec_hook=times.read)
            day = await selection.load_day(db, run.company, row.day)
            try:
                plan_selection = await reading.select_work(db, run.company, day, request)
            except TooManyOrders:
                raise PlanFailed("too_many_orders", selection.TOO_MANY_ORDERS) from None
            except (Invalid, NotFound) as problem:
                raise PlanFailed("no_shifts", problem.detail) from None
            data = await reading.load_data(db, run.company, day, request, plan_selection)
            pace = (await company_settings.load(db, run.company)).routing
        # In a thread, because a thousand orders would block the event loop.
        return _PlanInputs(row, await asyncio.to_thread(building.build_draft, data), pace)

    async def _measure_roads(
        self, draft: ProblemDraft, pace: Pace
    ) -> tuple[dict[Profile, Roads], Source]:
        """Measure the roads for the profile of each vehicle."""
        if len(draft.points) > MAX_MATRIX_POINTS:
            message = f"The stops are at more than {MAX_MATRIX_POINTS:,} places. Plan fewer orders."
            raise PlanFailed("too_many_places", message)
        return await measure_roads(self._router, draft.points, pace, draft.material.problem)

    async def _solve_problem(
        self, run: PlanRun, problem: PlanningProblem, seconds: int
    ) -> PlanResult:
        """Run the planner process, and check its plan."""
        try:
            result = await solve_in_process(
                problem, seconds, self._update_percent, memory_mebibytes=self._memory
            )
        except PlannerFailed as failure:
            log.error("planner failed", plan=str(run.plan), reason=str(failure))
            raise PlanFailed("planner_failed", "The planner failed. Try fewer orders.") from None
        faults = await asyncio.to_thread(checks.list_faults, problem, result.plan)
        if faults:
            log.error("plan has faults", plan=str(run.plan), faults=faults[:10])
            raise PlanFailed(
                "planner_failed", "The planner made an invalid plan. Try other orders."
            )
        return PlanResult(plan=result.plan, present=result.present)

    def _update_percent(self, report: PlannerReport) -> None:
        span = SEARCH_END_PERCENT - SEARCH_START_PERCENT
        self.percent = SEARCH_START_PERCENT + int(span * min(1.0, report.progress))


async def measure_roads(
    router: Router, points: Sequence[Point], pace: Pace, problem: PlanningProblem
) -> tuple[dict[Profile, Roads], Source]:
    """Measure the roads between points, for the profile of each shift's vehicle.

    The source is an engine only if it measured the roads of all profiles.
    """
    roads, sources = dict[Profile, Roads](), list[Source]()
    for profile in sorted({shift.profile for shift in problem.shifts}):
        matrix = await router.measure_matrix(points, pace, profile)
        roads[profile] = Roads(matrix.distances, matrix.times)
        sources.append(matrix.source)
    distinct_sources = set(sources)
    return roads, distinct_sources.pop() if len(distinct_sources) == 1 else "great_circle"
