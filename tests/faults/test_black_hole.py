"""The whole program while the network to its database swallows everything without a word.

Most of such a test is waiting, so what can wait at the same time does: each program has a proxy of
its own before one database.
"""

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TypeVar

import httpx
import pytest

import copier
import program
import stage
from blackhole import BlackHole, Mode, Stopwatch, black_hole
from program import Process, Serving, serving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

RECOVERY_SECONDS = 15.0
END_SECONDS = 20.0
MODES: tuple[Mode, ...] = ("open", "silent", "refusing")

Result = TypeVar("Result")


@pytest.fixture
def url(server_url: str) -> Iterator[str]:
    """A migrated database of the test's own."""
    name = f"hole_{os.getpid()}"
    yield asyncio.run(stage.create_migrated(server_url, name))
    asyncio.run(stage.admin(server_url, f"drop database {name} with (force)"))


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """Whatever a test starts, until its end."""
    with ExitStack() as entered:
        yield entered


def at_once(*calls: Callable[[], Result]) -> list[Result]:
    """Call all of these at the same time."""
    with ThreadPoolExecutor(len(calls)) as threads:
        return [call.result() for call in [threads.submit(call) for call in calls]]


class Caller:
    """A client of one program, whose network is about to be cut."""

    def __init__(self, serve: Serving, hole: BlackHole, key: str) -> None:
        self.serve, self.hole = serve, hole
        self._headers = {"Authorization": f"Bearer {key}"}

    def ask(self, method: str) -> httpx.Response:
        """Ask for something that the database has, or have it changed."""
        place = {"name": "Depot", "location": {"latitude": 52.5, "longitude": 13.4}}
        return httpx.request(
            method,
            f"{self.serve.url}/v1/places",
            headers=self._headers,
            json=place if method == "POST" else None,
            timeout=60,
        )

    def recover(self, method: str) -> float:
        """Ask until an answer comes, and return how long that took."""
        with Stopwatch() as watch:
            while (answer := self.ask(method)).status_code not in {200, 201}:
                assert answer.status_code == 503, answer.text
                # Whoever does not know whether it was saved is not told to send it again.
                unknown = answer.json()["code"] == "outcome_unknown"
                assert "Retry-After" in answer.headers or unknown
            return watch.seconds()

    def is_refused(self, method: str) -> float:
        """Ask while nobody can answer, and return how long it took to be told so."""
        with Stopwatch() as watch:
            answer = self.ask(method)
            assert answer.status_code == 503
            assert answer.headers["Retry-After"]
            return watch.seconds()

    def readiness(self) -> int:
        """Ask whether the program is ready."""
        return httpx.get(f"{self.serve.url}/readyz", timeout=60).status_code

    def survive(self, mode: Mode) -> None:
        """Lose the network while reading and writing, and go on when it is back."""
        for method in ("GET", "POST"):  # so that there are connections to lose
            self.recover(method)
        self.hole.cut(mode)
        if mode != "open":
            reading, writing = (partial(self.is_refused, method) for method in ("GET", "POST"))
            assert max(at_once(reading, writing)) < RECOVERY_SECONDS, mode
            assert self.readiness() == 503, mode
            self.hole.mend()
        self.assert_recovery(mode)
        assert self.readiness() == 200, mode

    def assert_recovery(self, when: str) -> None:
        reading, writing = (partial(self.recover, method) for method in ("GET", "POST"))
        assert max(at_once(reading, writing)) < RECOVERY_SECONDS, when


def start(stack: ExitStack, folder: Path, hole: BlackHole, *words: str) -> Serving:
    """Start a program behind a proxy, and do not wait for it."""
    settings = {"database_url": hole.url, "secret": stage.SECRET}
    return stack.enter_context(serving(folder, "--workers", "1", *words, **settings))


def work(stack: ExitStack, folder: Path, hole: BlackHole) -> Process:
    """Start a worker by itself, and do not wait for it."""
    settings = {"database_url": hole.url, "secret": stage.SECRET}
    worker = copier.start(
        [*program.WORDS, "worker"],
        env=program.environment(folder, **settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    return stack.enter_context(program.ending(worker))


def await_said(process: Process, words: str) -> None:
    """Wait until a process says something."""
    assert process.stdout is not None
    assert any(words in line for line in process.stdout), f"it ended without saying {words!r}"


def end(process: Process, *, after: float = 0.0) -> float:
    """Ask a process to stop some seconds from now, and return how long it took."""
    time.sleep(after)  # so that its processes hang in different places
    with Stopwatch() as watch:
        process.send_signal(signal.SIGTERM)
        process.wait(program.PATIENCE)
        return watch.seconds()


def test_requests_recover_within_fifteen_seconds(
    url: str, stack: ExitStack, tmp_path: Path
) -> None:
    holes = [stack.enter_context(black_hole(url)) for _ in MODES]
    serves = [
        start(stack, tmp_path / mode, hole, "--api-only")
        for mode, hole in zip(MODES, holes, strict=True)
    ]
    lines = [line for serve in serves for line in serve.ready().lines]
    (key,) = [line.split()[-1] for line in lines if "API key" in line]  # one founds the company
    callers = [Caller(serve, hole, key) for serve, hole in zip(serves, holes, strict=True)]
    at_once(*(partial(one.survive, mode) for one, mode in zip(callers, MODES, strict=True)))


def test_programs_end_in_time_while_the_network_is_silent(
    url: str, stack: ExitStack, tmp_path: Path
) -> None:
    hole = stack.enter_context(black_hole(url))
    serves = [start(stack, tmp_path / f"serve {number}", hole) for number in range(2)]
    workers = [work(stack, tmp_path / f"worker {number}", hole) for number in range(2)]
    processes = [pid for serve in serves for pid in serve.ready().tree()]
    for worker in workers:
        await_said(worker, "The worker has started.")
    hole.cut()
    starting = start(stack, tmp_path / "serve that starts", hole)
    waiting = work(stack, tmp_path / "worker that waits", hole)

    def end_waiting() -> float:
        await_said(waiting, "waiting for the database")
        return end(waiting)

    def end_starting() -> float:
        # It handles signals before it starts anything.
        while not any("pannier api" in program.command_of(pid) for pid in starting.tree()):
            assert starting.process.poll() is None
            time.sleep(0.05)
        return end(starting.process)

    ended = at_once(
        *(partial(end, serve.process, after=4 * turn) for turn, serve in enumerate(serves)),
        *(partial(end, worker, after=4 * turn) for turn, worker in enumerate(workers)),
        end_starting,
        end_waiting,
    )
    assert max(ended) < END_SECONDS, ended
    assert not [pid for pid in processes if program.command_of(pid)]
    assert starting.process.returncode == 0
    assert [worker.returncode for worker in (*workers, waiting)] == [0, 0, 0]
