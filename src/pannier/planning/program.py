"""The program of the planner process: reads a problem from standard input and writes a plan.

Each line of its output is JSON: progress during the search, and the plan at the end. The kernel
limits its time and memory. It has neither secrets nor network connections.
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
# CPU seconds for reading the problem, and for the last step of the search.
EXTRA_CPU_SECONDS: Final = 60
MAX_OPEN_FILES: Final = 64
REPORT_SECONDS: Final = 0.5


class PlannerInput(msgspec.Struct, frozen=True):
    """A problem, and the seconds to search."""

    problem: PlanningProblem
    seconds: float
    seed: int = 0
    memory_mebibytes: int = MAX_MEMORY_MEBIBYTES


class PlannerReport(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A line of the output. `present` is the timetable of the present assignment."""

    progress: float = 0.0
    routes: int = 0
    left_out: int = 0
    plan: Plan | None = None
    present: Plan | None = None


def main() -> None:
    """Solve the problem on standard input."""
    request = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=PlannerInput)
    _set_limits(request.seconds, request.memory_mebibytes)
    # Loading these modules takes as long as a small problem. The limits apply to it as well.
    from pannier.planning import baseline, solver  # noqa: PLC0415 - see above

    logging.getLogger("pyvrp").handlers.clear()  # it would write to our output
    reporter = _Reporter(request.seconds)
    plan = solver.solve(request.problem, reporter.get_progress, seed=request.seed)
    _write_report(
        PlannerReport(progress=1.0, plan=plan, present=baseline.schedule_present(request.problem))
    )


class _Reporter:
    """Measures the progress by time, and reports it twice a second."""

    def __init__(self, seconds: float) -> None:
        self._started_at, self._seconds, self._reported_seconds = time.monotonic(), seconds, 0.0

    def get_progress(self, best: object) -> float:
        """Return the elapsed share of the time."""
        elapsed = time.monotonic() - self._started_at
        progress = elapsed / self._seconds
        if elapsed - self._reported_seconds >= REPORT_SECONDS:
            self._reported_seconds = elapsed
            routes, left_out = getattr(best, "routes", ()), getattr(best, "left_out", ())
            route_count = sum(bool(route.legs) for route in routes)
            _write_report(
                PlannerReport(
                    progress=min(progress, 1.0), routes=route_count, left_out=len(left_out)
                )
            )
        return progress


def _set_limits(seconds: float, memory_mebibytes: int) -> None:
    """Make the kernel enforce the limits, even if the parent process hangs."""
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


def _write_report(report: PlannerReport) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
    sys.stdout.buffer.flush()
