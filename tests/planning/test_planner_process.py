"""The planner's own process: what comes back, what ends it, and what it cannot do."""

import asyncio
import os

import msgspec
import pytest

from pannier.planning.checks import list_faults
from pannier.planning.planner_process import PlannerFailed, solve_in_process
from pannier.planning.problem import PresentRoute
from pannier.planning.program import PlannerReport
from planning.cases import deliveries

pytestmark = pytest.mark.slow


async def test_a_plan_comes_with_progress_and_the_present_timetable() -> None:
    problem = deliveries(10, 2)
    keys = tuple(job.key for job in problem.jobs)
    problem = msgspec.structs.replace(problem, present=(PresentRoute(shift="s0", jobs=keys),))
    reports: list[PlannerReport] = []
    result = await solve_in_process(problem, 2, reports.append)
    assert list_faults(problem, result.plan) == []
    assert [stop.job for stop in result.present.routes[0].stops[::2]] == list(keys)
    progress = [report.progress for report in reports]
    assert progress == sorted(progress)
    assert progress[-1] == 1


def children() -> set[int]:
    with open(f"/proc/{os.getpid()}/task/{os.getpid()}/children") as file:  # noqa: PTH123 - of the kernel
        return {int(pid) for pid in file.read().split()}


async def test_cancelling_ends_the_process() -> None:
    before, started = children(), asyncio.Event()
    task = asyncio.create_task(solve_in_process(deliveries(40, 5), 60, lambda _: started.set()))
    await started.wait()
    assert children() - before
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert children() <= before


async def test_a_process_that_is_killed_is_a_failure_with_a_reason() -> None:
    before, started = children(), asyncio.Event()
    task = asyncio.create_task(solve_in_process(deliveries(40, 5), 60, lambda _: started.set()))
    await started.wait()
    [pid] = children() - before
    os.kill(pid, 9)
    with pytest.raises(PlannerFailed, match="exit code -9"):
        await task


async def test_a_problem_that_needs_more_memory_than_is_allowed_fails() -> None:
    with pytest.raises(PlannerFailed):
        await solve_in_process(deliveries(10, 2), 2, memory_mebibytes=64)
