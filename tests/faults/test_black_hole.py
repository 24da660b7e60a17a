"""The whole program while the network to its database swallows everything without a word."""

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import program
import stage
from blackhole import BlackHole, Mode, black_hole
from program import Serving, serving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

RECOVERY_SECONDS = 15.0
END_SECONDS = 20.0


@pytest.fixture
def hole(server_url: str) -> Iterator[BlackHole]:
    """A database of the test's own, behind a proxy."""
    name = f"hole_{os.getpid()}"
    asyncio.run(stage.admin(server_url, f"create database {name}"))
    with black_hole(stage.sibling(server_url, name)) as made:
        yield made
    asyncio.run(stage.admin(server_url, f"drop database {name} with (force)"))


@pytest.fixture
def serve(tmp_path: Path, hole: BlackHole) -> Iterator[Serving]:
    with serving(tmp_path, "--workers", "1", database_url=hole.url) as started:
        yield started.ready()


def ask(serve: Serving, key: str, method: str = "GET") -> httpx.Response:
    """Ask for something that the database has, or have it changed."""
    headers = {"Authorization": f"Bearer {key}"}
    if method == "GET":
        return httpx.get(f"{serve.url}/v1/places", headers=headers, timeout=60)
    place = {"name": "Depot", "location": {"latitude": 52.5, "longitude": 13.4}}
    return httpx.post(f"{serve.url}/v1/places", headers=headers, json=place, timeout=60)


def recover(serve: Serving, key: str, method: str) -> float:
    """Ask until an answer comes, and return how long that took."""
    began = time.monotonic()
    while True:
        answer = ask(serve, key, method)
        if answer.status_code in {200, 201}:
            return time.monotonic() - began
        assert answer.status_code == 503, answer.text
        # Whoever does not know whether it was saved is not told to send it again.
        assert "Retry-After" in answer.headers or answer.json()["code"] == "outcome_unknown"


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("mode", ["open", "silent", "refusing"])
def test_requests_recover_within_fifteen_seconds(
    serve: Serving, hole: BlackHole, mode: Mode, method: str
) -> None:
    key = serve.said("API key")
    for each in ("GET", "POST"):
        assert recover(serve, key, each) < RECOVERY_SECONDS
    hole.cut(mode)
    if mode != "open":
        began = time.monotonic()
        answer = ask(serve, key, method)
        assert time.monotonic() - began < RECOVERY_SECONDS
        assert answer.status_code == 503
        assert answer.headers["Retry-After"]
        ready = httpx.get(f"{serve.url}/readyz", timeout=RECOVERY_SECONDS)
        assert ready.status_code == 503
        hole.mend()
    assert recover(serve, key, method) < RECOVERY_SECONDS
    assert httpx.get(f"{serve.url}/readyz", timeout=60).status_code == 200


def end(process: "subprocess.Popen[str]") -> float:
    """Ask a process to stop, and return how long it took."""
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.wait(program.PATIENCE)
    return time.monotonic() - began


@pytest.mark.parametrize("seconds", [0, 4])
def test_serve_ends_in_time(serve: Serving, hole: BlackHole, seconds: float) -> None:
    processes = serve.tree()
    hole.cut()
    time.sleep(seconds)  # so that its processes hang in different places
    assert end(serve.process) < END_SECONDS
    assert not [pid for pid in processes if program.command_of(pid)]


def test_serve_ends_in_time_while_it_still_starts(tmp_path: Path, hole: BlackHole) -> None:
    hole.cut()
    with serving(tmp_path, "--workers", "1", database_url=hole.url) as started:
        time.sleep(2)
        assert end(started.process) < END_SECONDS


@pytest.mark.parametrize("seconds", [0, 4])
def test_a_worker_by_itself_ends_in_time(tmp_path: Path, hole: BlackHole, seconds: float) -> None:
    with subprocess.Popen(
        [*program.COMMAND, "worker"],
        env=program.environment(tmp_path, database_url=hole.url),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as worker:
        assert worker.stdout is not None
        assert worker.stdout.readline() == "The worker has started. Press Ctrl-C to stop.\n"
        hole.cut()
        time.sleep(seconds)
        assert end(worker) < END_SECONDS
        assert worker.returncode == 0


def test_a_worker_ends_in_time_while_it_still_waits(tmp_path: Path, hole: BlackHole) -> None:
    hole.cut()
    with subprocess.Popen(
        [*program.COMMAND, "worker"],
        env=program.environment(tmp_path, database_url=hole.url),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as worker:
        assert worker.stderr is not None
        assert "waiting for the database" in worker.stderr.readline()
        assert end(worker) < END_SECONDS
        assert worker.returncode == 0
