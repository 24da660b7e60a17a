"""Running the planner in a separate process."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from pannier import child_process
from pannier.planning.plan import Plan
from pannier.planning.problem import PlanningProblem
from pannier.planning.program import MAX_MEMORY_MEBIBYTES, PlannerInput, PlannerReport

SOURCE_ROOT: Final = str(Path(__file__).resolve().parents[2])
PROGRAM: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from pannier.planning import program; program.main()"
)
# Without secrets. One thread, because several planners and all requests share the cores.
ENVIRONMENT: Final = {
    **{name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ},
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
# A thousand stops take half a megabyte.
MAX_LINE_BYTES: Final = 64 * 1024 * 1024
# The kernel limits the CPU time, which takes longer on a busy machine.
WALL_FACTOR, WALL_EXTRA_SECONDS = 2, 120


class PlannerFailed(Exception):  # noqa: N818 - one of several outcomes
    """The planner ended without a plan. The reason is for the log."""


class PlannerResult(msgspec.Struct, frozen=True):
    """A plan, and the timetable of the present assignment."""

    plan: Plan
    present: Plan


async def solve_in_process(
    problem: PlanningProblem,
    seconds: float,
    report: Callable[[PlannerReport], None] = lambda _: None,
    *,
    memory_mebibytes: int = MAX_MEMORY_MEBIBYTES,
) -> PlannerResult:
    """Solve a problem in a separate process. Kill the process if the task is canceled."""
    request = PlannerInput(problem, seconds, memory_mebibytes=memory_mebibytes)
    command = child_process.build_command(
        [sys.executable, "-I", "-c", PROGRAM, SOURCE_ROOT],
        parent_death_signal=signal.SIGKILL,
        directory=Path("/"),
    )
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=ENVIRONMENT,
        limit=MAX_LINE_BYTES,
    )
    try:
        async with asyncio.timeout(WALL_FACTOR * seconds + WALL_EXTRA_SECONDS):
            return await _exchange_lines(process, request, report)
    except TimeoutError:
        raise PlannerFailed("timeout") from None
    finally:
        await _kill_process(process)


async def _exchange_lines(
    process: asyncio.subprocess.Process,
    request: PlannerInput,
    report: Callable[[PlannerReport], None],
) -> PlannerResult:
    """Send the problem, and read reports until one has the plan."""
    assert process.stderr is not None  # noqa: S101 - it is a pipe
    errors = asyncio.create_task(process.stderr.read(10_000))
    try:
        with suppress(ConnectionError):  # it ended: read its output and errors below
            await _send_request(process, await asyncio.to_thread(msgspec.msgpack.encode, request))
        async for planner_report in _read_reports(process):
            report(planner_report)
            if planner_report.plan is not None and planner_report.present is not None:
                return PlannerResult(planner_report.plan, planner_report.present)
        code = await process.wait()
        raise PlannerFailed(f"exit code {code}: {(await errors).decode(errors='replace')[-500:]}")
    finally:
        errors.cancel()


async def _send_request(process: asyncio.subprocess.Process, data: bytes) -> None:
    assert process.stdin is not None  # noqa: S101 - it is a pipe
    process.stdin.write(data)
    await process.stdin.drain()
    process.stdin.close()


async def _read_reports(process: asyncio.subprocess.Process) -> AsyncIterator[PlannerReport]:
    assert process.stdout is not None  # noqa: S101 - it is a pipe
    while line := await process.stdout.readline():
        try:
            yield msgspec.json.decode(line, type=PlannerReport)
        except msgspec.DecodeError:
            raise PlannerFailed("unreadable output") from None


async def _kill_process(process: asyncio.subprocess.Process) -> None:
    """Kill the process if it still runs, and wait for its end."""
    with suppress(ProcessLookupError):
        process.kill()
    await asyncio.shield(process.wait())
