"""`pannier serve` starts everything, keeps it running, and stops all of it."""

import asyncio
import json
import os
import pty
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import asyncpg
import httpx
import pytest

import copier
import program
from cli import shell
from pannier.db import migrate
from program import Serving, serving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

# One for all, since making one reads all certificates; a new connection for each request.
CALLER: Final = httpx.Client(
    limits=httpx.Limits(max_keepalive_connections=0), timeout=program.PATIENCE
)


def soon(condition: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + program.PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def works(serve: Serving, key: str) -> bool:
    try:
        answer = CALLER.get(
            f"{serve.url}/v1/organizations/current", headers={"Authorization": f"Bearer {key}"}
        )
    except httpx.TransportError:
        return False
    return answer.status_code == 200


def ready(serve: Serving) -> bool:
    try:
        return CALLER.get(f"{serve.url}/readyz").status_code == 200
    except httpx.TransportError:
        return False


def heard(serve: Serving, said: bytes) -> bytes:
    """Say something to the port, and hear what comes of it until the other side hangs up."""
    with socket.create_connection(("127.0.0.1", serve.port), timeout=program.PATIENCE) as caller:
        caller.sendall(said)
        return b"".join(iter(lambda: caller.recv(65536), b""))


def child(serve: Serving, words: str) -> int:
    """Find a process of the tree by how it was started; 0 when there is none."""
    return next((pid for pid in serve.tree()[1:] if words in program.command_of(pid)), 0)


def test_the_first_start_shows_working_keys_and_the_second_keeps_the_data(
    new_folder: Path, tmp_path: Path
) -> None:
    with serving(new_folder, command=program.COMMAND) as serve:
        serve.ready()
        key = serve.said("API key")
        assert works(serve, key)
        soon(lambda: ready(serve))
        home = CALLER.get(serve.url, follow_redirects=True)
        assert (home.status_code, home.url.path) == (200, "/console/sign-in")
        assert serve.url in CALLER.get(f"{serve.url}/docs").text
        # The porter stands at the program's own door.
        assert heard(serve, b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400 ")
        assert b'"code":"head_too_large"' in heard(serve, b"GET /" + b"x" * 100_000)
        processes = serve.tree()
        assert serve.interrupt() == 0
        assert serve.lines[-2:] == ["Stopping.", "Stopped."]
        assert not [pid for pid in processes if program.command_of(pid)]
    told = tmp_path / "log"
    with (
        told.open("wb") as log,
        serving(new_folder, log=log.fileno(), command=program.COMMAND) as serve,
    ):
        serve.ready()
        assert not [line for line in serve.lines if "API key" in line]
        assert works(serve, key)
        soon(lambda: "worker started" in told.read_text())
        assert serve.interrupt() == 0
    # What is no terminal gets JSON, and only of what others asked.
    lines = [json.loads(line) for line in told.read_text().splitlines()]
    assert sorted(line["event"] for line in lines) == ["request", "worker started"]


@contextmanager
def waiting(data: Path, url: str) -> Iterator[Serving]:
    """Serve on a database that somebody else migrates, and does not come to an end with."""
    with asyncio.Runner() as loop:
        other = loop.run(asyncpg.connect(url))
        try:
            loop.run(other.execute("select pg_advisory_lock($1)", migrate.LOCK_ID))
            with serving(data, "--workers", "1", database_url=url) as serve:
                soon(lambda: child(serve, "pannier api") > 0)
                yield serve
        finally:
            loop.run(other.close())


def test_who_waits_for_the_database_is_stopped_as_at_any_other_time(
    tmp_path: Path, empty_url: str
) -> None:
    with waiting(tmp_path, empty_url) as serve:
        processes = serve.tree()
        assert serve.interrupt() == 0
        assert serve.lines == ["Stopping.", "Stopped."]
        assert not [pid for pid in processes if program.command_of(pid)]


def test_nobody_who_waits_for_the_database_survives_a_kill_of_the_supervisor(
    tmp_path: Path, empty_url: str
) -> None:
    with waiting(tmp_path, empty_url) as serve:
        rest = serve.tree()[1:]
        os.kill(serve.process.pid, signal.SIGKILL)
        soon(lambda: not [pid for pid in rest if program.command_of(pid)])


def test_who_waits_for_the_database_leaves_when_nobody_is_left_to_make_it_ready(
    tmp_path: Path,
) -> None:
    gate, bar = socket.socketpair()
    bar.close()
    with socket.create_server(("127.0.0.1", 0)) as listener, gate:
        descriptors = listener.fileno(), listener.fileno(), gate.fileno()
        alone = copier.start(
            [*program.WORDS, "api", *map(str, descriptors)],
            env=program.environment(tmp_path, database_url="postgresql://nobody@127.0.0.1:1/none"),
            pass_fds=descriptors,
            stderr=subprocess.PIPE,
        )
        with program.ending(alone):
            assert alone.stderr is not None
            assert (alone.wait(program.PATIENCE), alone.stderr.read()) == (127, "")


def test_what_is_shown_but_once_is_shown_also_when_the_api_never_answers(
    tmp_path: Path, empty_url: str
) -> None:
    (tmp_path / "limits").mkdir()
    with serving(tmp_path, "--workers", "1", database_url=empty_url) as serve:
        serve.await_line("The process api 1 ended with exit code 1")
        assert not child(serve, "pannier worker")
        assert serve.interrupt() == 0
        assert serve.said("API key").startswith("api_live_")
        assert "Pannier is ready." not in serve.lines


def test_what_the_worker_does_is_told_as_the_workers(served: Serving) -> None:
    shop = httpx.Client(
        base_url=served.url,
        headers={"Authorization": f"Bearer {served.said('API key')}"},
        timeout=program.PATIENCE,
    )
    due = datetime.now(UTC).isoformat()
    body = {"pickup": "1 A Road", "dropoff": "2 A Road", "adhoc": True, "scheduled_at": due}
    made = shop.post("/v1/orders", json=body)
    assert made.status_code == 201, made.text

    def happened() -> dict[str, Any]:
        rows = shop.get("/v1/tracking-statuses", params={"order": made.json()["id"]}).json()
        return {row["code"]: row["actor"] for row in rows}

    soon(lambda: "dispatched" in happened())
    assert happened()["created"]["kind"] == "key"
    assert happened()["dispatched"]["kind"] == "worker"
    shop.close()


def test_what_dies_is_started_again_and_said_so_and_requests_work_again(
    house_folder: Path,
) -> None:
    with serving(house_folder, "--workers", "1") as serve:
        serve.ready()
        key = serve.said("API key")
        for words in ("pannier api", "pannier worker"):
            soon(lambda words=words: child(serve, words) > 0)  # type: ignore[misc]  # mypy cannot infer a lambda with a default
            os.kill(child(serve, words), signal.SIGKILL)
            assert "starts again" in serve.await_line("was ended by SIGKILL")
        soon(lambda: works(serve, key))
        soon(lambda: child(serve, "pannier worker") > 0)
        for number in (signal.SIGKILL, signal.SIGINT):
            os.kill(child(serve, "bin/postgres"), number)
            serve.await_line("The database has stopped. Restarting it.")
            soon(lambda: works(serve, key))
        soon(lambda: ready(serve))
        assert serve.interrupt() == 0


def test_a_second_command_attaches_to_the_running_database(served: Serving) -> None:
    made = program.answer(served.data, "key", "new", "--json")
    assert isinstance(made, dict)
    assert works(served, made["key"])
    shell.run(served.data, "key", "revoke", made["id"])
    assert not works(served, made["key"])


def test_several_api_processes_agree_on_rate_limits_and_none_survives_a_kill_of_the_supervisor(
    house_folder: Path,
) -> None:
    with serving(house_folder, "--workers", "2", credential_rate="40") as serve:
        serve.ready()
        headers = {"Authorization": f"Bearer {serve.said('API key')}"}
        began = time.monotonic()
        # A new connection each time, so that both processes get their share.
        answers = [
            CALLER.get(f"{serve.url}/v1/organizations/current", headers=headers) for _ in range(80)
        ]
        refilled = (time.monotonic() - began) * 40 / 60 + 1
        allowed = [answer for answer in answers if answer.status_code == 200]
        refused = [answer for answer in answers if answer.status_code == 429]
        assert len(allowed) + len(refused) == 80
        assert 40 <= len(allowed) <= 40 + refilled
        assert all(int(answer.headers["Retry-After"]) >= 1 for answer in refused)
        soon(lambda: child(serve, "pannier worker") > 0)
        rest = serve.tree()[1:]
        os.kill(serve.process.pid, signal.SIGKILL)
        soon(lambda: not [pid for pid in rest if program.command_of(pid)])


def test_demo_founds_a_company_to_look_at_and_a_worker_of_its_own_serves_an_api_without_one(
    house_folder: Path,
) -> None:
    with serving(house_folder, "--demo", "--api-only") as serve:
        serve.ready()
        key = serve.said("API key")
        assert key.startswith("api_test_")
        headers = {"Authorization": f"Bearer {key}"}
        orders = CALLER.get(f"{serve.url}/v1/orders", headers=headers).json()
        assert {order["status"] for order in orders} == {"created", "dispatched"}
        assert all(order["distance"] for order in orders)
        assert not child(serve, "pannier worker")
        operator = {"Authorization": f"Bearer {serve.said('Operator token')}"}

        def worker_check() -> str:
            checks = CALLER.get(f"{serve.url}/status", headers=operator).json()["checks"]
            return str(checks["worker"])

        assert ready(serve)
        assert "No worker" in worker_check()
        process = copier.start(
            [*program.WORDS, "worker"],
            env=program.environment(house_folder),
            stderr=subprocess.DEVNULL,
        )
        with program.ending(process) as worker:
            soon(lambda: worker_check() == "ok")
            worker.terminate()
            assert worker.wait(program.PATIENCE) == 0
        assert serve.interrupt() == 0


def test_the_drawer_shows_the_code_that_was_sent_newest_first(served: Serving) -> None:
    headers = {"Authorization": f"Bearer {served.said('API key')}"}
    with httpx.Client(base_url=served.url, headers=headers, timeout=program.PATIENCE) as client:
        driver = {"name": "Dana", "phone": "+6591234567"}
        assert client.post("/v1/drivers", json=driver).status_code == 201
        asked = client.post("/v1/drivers/login-with-sms", json={"phone": "006591234567"})
        assert asked.status_code == 200

        def drawer(*words: str) -> list[dict[str, str]]:
            found: list[dict[str, str]] = shell.answer(served.data, "messages", "--json", *words)
            return found

        soon(lambda: any(re.match(r"\d{6}\b", one["text"]) for one in drawer()))
        (message,) = drawer("--to", "+6591234567")
        assert set(message) == {"channel", "to", "text", "created_at"}
        assert (message["channel"], message["to"]) == ("sms", "+6591234567")
        assert drawer("--to", "+6590000000") == []
        code = message["text"][:6]
        signed_in = client.post(
            "/v1/drivers/verify-code", json={"phone": "+6591234567", "code": code}
        )
        assert signed_in.json()["token"].startswith("drv_live_")

        operator = {"Authorization": f"Bearer {served.said('Operator token')}"}

        def shown() -> list[str]:
            found = client.get("/int/v1/messages", params={"to": "+6591234567"}, headers=operator)
            return [one["text"] for one in found.json()["data"]]

        soon(lambda: shown() == [message["text"]])  # while it is due, an operator sees no code
    assert message["text"] in shell.run(served.data, "messages").stdout


def test_a_terminal_is_shown_lines_to_read_and_only_of_what_others_asked(
    house_folder: Path,
) -> None:
    ours, theirs = pty.openpty()
    with serving(house_folder, log=theirs) as serve:
        serve.ready()
        assert CALLER.get(f"{serve.url}/healthz").status_code == 200
        assert CALLER.get(f"{serve.url}/v1/orders").status_code == 401
        told = os.read(ours, 65536)
        while b"Worker started" not in told or b"401" not in told:
            told += os.read(ours, 65536)
        assert serve.interrupt() == 0
    os.set_blocking(ours, False)
    with suppress(BlockingIOError):
        told += os.read(ours, 65536)
    shown = re.sub(r"\033\[\d+m", "", told.decode())
    time_of_day = r"\d\d:\d\d:\d\d  "
    for line, pattern in zip(
        sorted(shown.splitlines(), key=len),
        (r"Worker started\.", r"200 +[\d.]+ ms  GET    /healthz", r"401 +.* GET    /v1/orders"),
        strict=True,
    ):
        assert re.fullmatch(time_of_day + pattern, line)
    os.close(ours)
    os.close(theirs)
