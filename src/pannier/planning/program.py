"""The planner's own process: reads a problem from standard input, and writes what it finds.

Each line of its output is JSON: progress while it works, and the plan at the end. Its time and
memory are limited by the kernel, and it has neither secrets nor a connection to anything.
"""

import logging
import os
import resource
import sys
import time
from typing import Final

import msgspec

from pannier.planning.plan import Plan
from pannier.planning.problem import PlanningProblem

MEBIBYTE: Final = 1024 * 1024
# The largest problems take 700 MB.
MAX_MEMORY_MEBIBYTES: Final = 3072
# CPU seconds for reading the problem, and for the last step that is under way when time is over.
EXTRA_CPU_SECONDS: Final = 60
MAX_OPEN_FILES: Final = 64
REPORT_SECONDS: Final = 0.5


class PlannerInput(msgspec.Struct, frozen=True):
    """A problem, and how many seconds to work on it."""

    problem: PlanningProblem
    seconds: float
    seed: int = 0
    memory_mebibytes: int = MAX_MEMORY_MEBIBYTES


class PlannerReport(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the output. `present` is the assignment before, as it would go."""

    progress: float = 0.0
    routes: int = 0
    left_out: int = 0
    plan: Plan | None = None
    present: Plan | None = None


def main() -> None:
    """Solve the problem on standard input."""
    request = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=PlannerInput)
    _limit(request.seconds, request.memory_mebibytes)
    # Here, because loading takes as long as a small problem, and the limits shall count for it.
    from pannier.planning import baseline, solver  # noqa: PLC0415 - see above

    logging.getLogger("pyvrp").handlers.clear()  # it would write to our output
    reporter = _Reporter(request.seconds)
    plan = solver.solve(request.problem, reporter.get_progress, seed=request.seed)
    _write(PlannerReport(progress=1.0, plan=plan, present=baseline.time_present(request.problem)))


class _Reporter:
    """Knows how much of the time is over, and reports it twice a second."""

    def __init__(self, seconds: float) -> None:
        self._began, self._seconds, self._reported = time.monotonic(), seconds, 0.0

    def get_progress(self, best: object) -> float:
        """Return the share of the time that is over."""
        passed = time.monotonic() - self._began
        progress = passed / self._seconds
        if passed - self._reported >= REPORT_SECONDS:
            self._reported = passed
            routes, left_out = getattr(best, "routes", ()), getattr(best, "left_out", ())
            used = sum(bool(route.legs) for route in routes)
            _write(PlannerReport(progress=min(progress, 1.0), routes=used, left_out=len(left_out)))
        return progress


def _limit(seconds: float, memory_mebibytes: int) -> None:
    """Let the kernel enforce the limits, even if the parent hangs."""
    os.nice(10)  # requests take precedence
    cpu = int(seconds) + EXTRA_CPU_SECONDS
    limits = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, cpu),
        (resource.RLIMIT_AS, memory_mebibytes * MEBIBYTE),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, MAX_OPEN_FILES),
    )
    for limit, value in limits:
        resource.setrlimit(limit, (value, value))


def _write(report: PlannerReport) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
    sys.stdout.buffer.flush()
