"""The solver: finds a plan that is never worse than the present assignment."""

import warnings
from random import Random
from typing import Final

import pyvrp
from pyvrp.stop import StoppingCriterion

from pannier.planning.model import Model
from pannier.planning.plan import Plan
from pannier.planning.problem import PlanningProblem
from pannier.planning.reasons import explain_left_out
from pannier.planning.schedule import to_planned_route
from pannier.planning.search import DraftPlan, GetProgress, Search
from pannier.planning.translation import Translation

# When pyvrp takes over from our own search and when it ends, as shares of the time.
PYVRP_START: Final = 0.15
PYVRP_END, PYVRP_END_WITH_PAIRS = 0.75, 0.35


def solve(problem: PlanningProblem, get_progress: GetProgress, *, seed: int = 0) -> Plan:
    """Search for a plan until the progress is 1. `get_progress` may raise to stop the search."""
    solver = Solver(problem, get_progress, seed)
    return solver.to_plan(solver.solve())


class Solver:
    """A single run of the solver."""

    def __init__(self, problem: PlanningProblem, get_progress: GetProgress, seed: int) -> None:
        self._get_progress, self._seed = get_progress, seed
        self._model = Model(problem)
        self._search = Search(self._model, Random(seed))  # noqa: S311 - no secret

    def solve(self) -> DraftPlan:
        """Search with our own method, then with pyvrp, then with our own method again."""
        best_draft = self.build_start()
        if self._model.legs and self._model.starts:
            best_draft = self._improve_draft(best_draft, 0, PYVRP_START)
            best_draft, progress = self._run_pyvrp(best_draft)
            best_draft = self._improve_draft(best_draft, progress, 1)
        return best_draft

    def build_start(self) -> DraftPlan:
        """Build the first draft: the best of the present assignment, its completion, and a new one.

        With the present assignment among them, no plan is worse than that.
        """
        search = self._search
        present = search.build_draft(search.list_present_legs())
        starts = (present, search.make_empty_draft())
        drafts = (present, *(search.insert_left_out(start) for start in starts))
        return min(drafts, key=lambda draft: draft.cost)

    def to_plan(self, draft: DraftPlan) -> Plan:
        """Return the timetables of a draft."""
        return Plan(
            routes=tuple(to_planned_route(route) for route in draft.routes if route.legs),
            left_out=explain_left_out(self._search, draft),
        )

    def _improve_draft(self, best: DraftPlan, begin: float, end: float) -> DraftPlan:
        """Improve a draft with our own search, between two shares of the time."""
        if begin >= end:
            return best
        return self._search.improve(
            best, lambda draft: (self._get_progress(draft) - begin) / (end - begin)
        )

    def _run_pyvrp(self, best: DraftPlan) -> tuple[DraftPlan, float]:
        """Continue with pyvrp. Return the better draft, and the progress afterwards."""
        translation = Translation(self._model, self._search.objective, best)
        end = PYVRP_END if translation.is_simple else PYVRP_END_WITH_PAIRS
        rows = run_pyvrp(translation, best, self._seed, lambda _: self._get_progress(best) >= end)
        draft = self._search.insert_left_out(self._search.build_draft(rows))
        best = min(best, draft, key=lambda draft: draft.cost)
        return best, self._get_progress(best)


def run_pyvrp(
    translation: Translation, best: DraftPlan, seed: int, stop: StoppingCriterion
) -> list[list[int]]:
    """Improve a draft with pyvrp, and return the legs of each shift."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about penalties: our search drops what breaks a rule
        result = pyvrp.solve(
            translation.data,
            stop,
            seed=seed,
            collect_stats=False,
            display=False,
            initial_solution=translation.to_solution(best),
        )
    return translation.from_solution(result.best)
