"""The solver: finds a plan that is never worse than the present assignment."""

import warnings
from random import Random
from typing import Final

import pyvrp
from pyvrp.stop import StoppingCriterion

from pannier.planning.model import Model
from pannier.planning.plan import Plan
from pannier.planning.problem import PlanningProblem
from pannier.planning.reasons import explain
from pannier.planning.schedule import to_planned_route
from pannier.planning.search import DraftPlan, GetProgress, Search
from pannier.planning.translation import Translation

# When pyvrp takes over from our own search and when it ends, as shares of the time.
PYVRP_FROM: Final = 0.15
PYVRP_TO_SIMPLE, PYVRP_TO_PAIRS = 0.75, 0.35


def solve(problem: PlanningProblem, get_progress: GetProgress, *, seed: int = 0) -> Plan:
    """Plan until the progress reaches 1. It is asked for in every step, and may raise to stop."""
    solver = Solver(problem, get_progress, seed)
    return solver.to_plan(solver.solve())


class Solver:
    """A single run."""

    def __init__(self, problem: PlanningProblem, get_progress: GetProgress, seed: int) -> None:
        self._get_progress, self._seed = get_progress, seed
        self._model = Model(problem)
        self._search = Search(self._model, Random(seed))  # noqa: S311 - no secret

    def solve(self) -> DraftPlan:
        """Find a draft."""
        best = self.start()
        if self._model.legs and self._model.starts:
            best = self._improve(best, 0, PYVRP_FROM)
            best, until = self._run_pyvrp(best)
            best = self._improve(best, until, 1)
        return best

    def start(self) -> DraftPlan:
        """Return the better of the present assignment, completed, and a draft made anew."""
        present = self._search.read(self._search.list_present())
        tries = [self._search.complete(present), self._search.complete(self._search.make_empty())]
        return min((present, *tries), key=lambda each: each.cost)

    def to_plan(self, draft: DraftPlan) -> Plan:
        """Return the timetables of a draft."""
        return Plan(
            routes=tuple(to_planned_route(each) for each in draft.routes if each.legs),
            left_out=explain(self._search, draft),
        )

    def _improve(self, best: DraftPlan, begin: float, end: float) -> DraftPlan:
        """Improve with our own search during a share of the time."""
        if begin >= end:
            return best
        return self._search.improve(
            best, lambda draft: (self._get_progress(draft) - begin) / (end - begin)
        )

    def _run_pyvrp(self, best: DraftPlan) -> tuple[DraftPlan, float]:
        """Continue with pyvrp; return the better result, and when it ended."""
        translation = Translation(self._model, self._search.objective, best)
        until = PYVRP_TO_SIMPLE if translation.is_simple else PYVRP_TO_PAIRS
        rows = run_pyvrp(translation, best, self._seed, lambda _: self._get_progress(best) >= until)
        draft = self._search.complete(self._search.read(rows))
        best = min(best, draft, key=lambda each: each.cost)
        return best, self._get_progress(best)


def run_pyvrp(
    translation: Translation, best: DraftPlan, seed: int, stop: StoppingCriterion
) -> list[list[int]]:
    """Improve a draft with pyvrp, and return the legs of each shift."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about penalties, which the check afterwards replaces
        result = pyvrp.solve(
            translation.data,
            stop,
            seed=seed,
            collect_stats=False,
            display=False,
            initial_solution=translation.to_solution(best),
        )
    return translation.from_solution(result.best)
